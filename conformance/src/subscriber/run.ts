import { message, type SafeText } from 'appreg';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SubscriberCase } from '../case/case.ts';
import { observeAll, failed, notRun, passed, type Observation } from '../result.ts';
import { folderOf } from '../sets.ts';
import { openAuthority, type Authority, type CaseHosts, openHosts, placeOf } from './hosts.ts';
import type { ServedFile, SubscriberStep, VerbExpectation } from '../case/subscriber.ts';
import { openAdapterDriver, openCommandDriver, type Driver, type CaseRun, type VerbResult } from './driver.ts';
import { offeredText, type ShownApp, shownApps, appProblems, latestProblems, requestProblems } from './judge.ts';

/** Runs the cases of subscribers, each with hosts and a state of its own. */

/** The implementation: a program, or the URL of an adapter. */
export type Implementation = { command: readonly string[] } | { adapter: string };

export interface SubscriberRun {
  /** The number of the set. */
  set: number;
  implementation: Implementation;
  /** The folder in which a program runs, and its environment. */
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Abilities that the implementation lacks. */
  without: readonly Ability[];
  /** Milliseconds per verb. */
  timeout: number;
  /** Cases at once. */
  concurrency: number;
  /** The certificate authority of the hosts (PEM); null for one of this run alone. */
  authority: { key: string; cert: string } | null;
  now: Date;
  /** Default: what the implementation writes is ignored. */
  onDetails?: OnDetails;
}

/**
 * Runs the cases of a subscriber, each with a host of its own.
 *
 * @throws Error for a fault of the environment that affects all cases
 */
export async function runSubscriberCases(
  cases: readonly SubscriberCase[],
  { set, implementation, cwd, env, without, timeout, concurrency, authority, now, onDetails }: SubscriberRun,
): Promise<Observation[]> {
  const folder = await mkdtemp(join(tmpdir(), 'appreg-conformance-'));
  try {
    const opened = await openAuthority(now, authority);
    const caFile = join(folder, 'ca.pem');
    await writeFile(caFile, opened.ca);
    const driver: Driver =
      'command' in implementation
        ? openCommandDriver({ words: implementation.command, cwd, env, timeout, stateFolder: folder })
        : openAdapterDriver(implementation.adapter, timeout);
    const setup = {
      driver,
      authority: opened,
      caFile,
      files: await filesOf(set),
      without,
      now,
      onDetails: onDetails ?? (() => {}),
    };
    return await observeAll(cases, concurrency, (one) => runCase(one, setup));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The files that every case of a set begins with. */
export async function filesOf(set: number): Promise<Record<string, ServedFile>> {
  const text = await readFile(`${folderOf(set, 'subscriber')}-files.json`, 'utf8');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a file of the package
  return JSON.parse(text) as Record<string, ServedFile>;
}

// Runs one case: serves what its script says, drives the implementation, and compares.

/**
 * Abilities that an implementation may lack: to use the time of the case, and to show the highest version of an app.
 */
type Ability = 'clock' | 'latest';

interface Setup {
  driver: Driver;
  authority: Authority;
  caFile: string;
  /** The files that every case begins with. */
  files: Readonly<Record<string, ServedFile>>;
  /** Abilities that the implementation is declared to lack. */
  without: readonly Ability[];
  now: Date;
  onDetails: OnDetails;
}

/** Is called with what the implementation wrote about a verb that it could not do: on stderr, or as a response. */
export type OnDetails = (id: string, verb: string, details: string) => void;

/** The name of the registry in the organization. */
const NAME = 'Conformance';

/** @throws Error for a fault of the kit, of the case or of the environment */
async function runCase(one: SubscriberCase, setup: Setup): Promise<Observation> {
  const missing = needsOf(one).find((ability) => setup.without.includes(ability));
  if (missing !== undefined) return notRun(one.id, NOT_SUPPORTED[missing]);
  const hosts = await openHosts([{ serve: setup.files }, ...one.script], setup.authority);
  const run: CaseRun = { id: one.id, now: setup.now.toISOString(), caFile: setup.caFile };
  try {
    hosts.serve(setup.files);
    const { problem, observed } = await runSteps(one, { hosts, run, driver: setup.driver, onDetails: setup.onDetails });
    const line = observed.length === 0 ? null : message`${hosts.redact(observed.join('; '))}`;
    return problem === null ? passed(one.id, line) : failed(one.id, message`${hosts.redact(problem)}`, line);
  } finally {
    await hosts.close();
    await setup.driver.end(run);
  }
}

const NOT_SUPPORTED: Readonly<Record<Ability, SafeText>> = {
  clock: message`The implementation is declared to be without the clock of the case (--without clock).`,
  latest: message`The implementation is declared not to show the highest version (--without latest).`,
};

export function needsOf({ script, expect }: SubscriberCase): Ability[] {
  return [
    ...(script.some(({ advance }) => advance !== undefined) ? (['clock'] as const) : []),
    ...(expect.some(({ latest }) => latest !== undefined) ? (['latest'] as const) : []),
  ];
}

interface Running {
  hosts: CaseHosts;
  run: CaseRun;
  driver: Driver;
  onDetails: OnDetails;
}

/** Stops at the first problem. */
async function runSteps(
  { script, expect }: SubscriberCase,
  { hosts, run, driver, onDetails }: Running,
): Promise<{ problem: string | null; observed: string[] }> {
  const observed: string[] = [];
  let now = Date.parse(run.now);
  let verbs = 0;
  for (const step of script) {
    if (step.serve !== undefined) hosts.serve(step.serve);
    now += (step.advance ?? 0) * 1000;
    const verb = verbOf(step);
    if (verb === null) continue;
    const at = { ...run, now: new Date(now).toISOString() };
    hosts.takeRequests();
    const result =
      verb.name === 'subscribe' ? await driver.subscribe(at, hosts.expand(verb.url), NAME) : await driver.refresh(at);
    if (result.end !== 'success') onDetails(run.id, verb.name, result.details);
    const requests = hosts.takeRequests();
    const expected = expect[verbs++] ?? {};
    const shown = await showApps(driver, at, onDetails);
    const text = 'fault' in shown ? 'apps not shown' : offeredText(shown.apps);
    observed.push(`${verb.name} ${ENDS[result.end]}, ${text}`);
    const problems = [
      ...endProblems(verb.name, result, expected),
      ...('fault' in shown ? [shown.fault] : shownProblems(shown.apps, expected, hosts.expand)),
      ...requestProblems(requests, expected.requests ?? [], { expand: hosts.expand, placeOf }),
    ];
    if (problems.length > 0) return { problem: `After ${verb.name}: ${problems.slice(0, 3).join(' ')}`, observed };
  }
  return { problem: null, observed };
}

const ENDS: Readonly<Record<VerbResult['end'], string>> = {
  success: 'succeeded',
  failure: 'failed',
  timeout: 'did not end',
  output: 'printed more than 16 MB',
  crash: 'crashed',
};

function verbOf(step: SubscriberStep): { name: 'subscribe' | 'refresh'; url: string } | null {
  const options = step.subscribe ?? step.refresh;
  if (options === undefined) return null;
  return { name: step.subscribe ? 'subscribe' : 'refresh', url: options.url ?? '{registry}/registry.json' };
}

function endProblems(verb: string, { end }: VerbResult, { exit }: VerbExpectation): string[] {
  if (end === 'timeout') return [`The verb “${verb}” did not end in time.`];
  if (end === 'output') return [`The verb “${verb}” ${ENDS.output}.`];
  if (end === 'crash') return [`The verb “${verb}” was ended by a signal.`];
  return exit === undefined || exit === end ? [] : [`The verb “${verb}” ended with ${end} in place of ${exit}.`];
}

async function showApps(
  driver: Driver,
  run: CaseRun,
  onDetails: OnDetails,
): Promise<{ apps: readonly ShownApp[] } | { fault: string }> {
  const result = await driver.apps(run);
  if (result.end === 'success') return shownApps(result.output);
  onDetails(run.id, 'apps', result.details);
  return { fault: `The verb “apps” ${ENDS[result.end]}.` };
}

function shownProblems(
  apps: readonly ShownApp[],
  expected: VerbExpectation,
  expand: (text: string) => string,
): string[] {
  return [
    ...(expected.apps === undefined ? [] : appProblems(apps, expected.apps, expand)),
    ...(expected.latest === undefined ? [] : latestProblems(apps, expected.latest)),
  ];
}

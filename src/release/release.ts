import { availableParallelism } from 'node:os';
import { message } from '../core/text/message.ts';
import { counted } from '../core/text/text.ts';
import type { NewVersion } from '../author/metadata.ts';
import type { Finding } from '../core/findings/report.ts';
import { hasWrites } from '../core/release/entry-changes.ts';
import { releaseReport, type ReleaseReport } from '../core/release/report.ts';
import type { AppWithoutFolder } from '../core/release/without-folder.ts';
import { VERSION } from '../core/values/tool-version.ts';
import type { AppToAssemble } from '../publish/described-app.ts';
import type { Plan, PlannedStep } from '../publish/plan.ts';
import type { Allowances } from '../publish/refuse-typos.ts';
import { refuseOtherBaseIn } from '../workspace/base-url.ts';
import { registryLocation } from '../workspace/location.ts';
import type { Listener } from '../workspace/listener.ts';
import { workspaceBeside } from '../workspace/lock.ts';
import { accept, type Accepted } from './accept.ts';
import { bumpApps } from './bump.ts';
import { type EvaluatedApp, evaluateApps, type PreparedApp } from './evaluate.ts';
import { findApps, selectedApps } from './find-apps.ts';
import { appsWithoutFolder } from './missing-folders.ts';
import type { PublishedApp } from './outcome.ts';
import type { ReleaseRegistry } from './plan-all.ts';
import { publishAll, type PublishAllOptions, type PublishListener } from './publish-all.ts';
import { listedLocation, publishedState, type PublishedState } from './published.ts';
import { type OpenRepository, type Repository, wantsLoadTest, withDefaults } from './repository.ts';
import { notPublished, type ReleaseResults, withResults } from './results.ts';

/** Options of `release`. */
export interface ReleaseOptions extends Accepted {
  /**
   * `check` reports the state of each app; `bump` raises the declared version of each app that changed without a new
   * one; `publish` publishes the new versions.
   */
  action: 'check' | 'bump' | 'publish';
  /** Writes nothing; the report of `publish` has the plan. */
  dryRun?: boolean;
  /** The keys of the apps (default: all). */
  keys?: readonly string[] | undefined;
  /** The name of a state to compare with in place of the store; for `check` and `bump`. */
  against?: string | undefined;
  /** Apps that are built or published at a time (default: one per processor). */
  jobs?: number | undefined;
  allow?: Allowances;
  /**
   * Loads the code of each new version, unpacked and alone; that runs it (default: only a `publish` that is no dry run, unless
   * the configuration has `bundle.loadTest: false`).
   */
  loadTest?: boolean | undefined;
  /** Fetches a stored artifact from its public URL before it is listed; a rejection prevents that it is listed. */
  readBack?(entry: NewVersion): Promise<void>;
  /** Called once for each app, as soon as it is published or has failed. */
  onResult?(result: PublishedApp): void;
  /** Called for each new version with warnings or notes, whether it is published or only planned. */
  onFindings?(app: PreparedApp, findings: readonly Finding[]): void;
}

/** The outcome of a release. */
export interface Released {
  report: ReleaseReport;
  /** Plan of a dry run of `publish`; otherwise null. */
  plan: Plan<PlannedStep> | null;
}

/**
 * Builds every app of a repository, compares the bytes with the published versions, and publishes what is new. An app
 * that is refused, or cannot be published, stops no other: the report says why.
 * @throws AppregError for what concerns every app, such as an invalid configuration or a registry that cannot be read
 */
export async function release(given: Repository, options: ReleaseOptions): Promise<Released> {
  const { action, keys, against, dryRun = false } = options;
  const jobs = Math.max(1, options.jobs ?? availableParallelism());
  const repository = withDefaults(given);
  refuseOtherBaseIn(repository.root, repository.config);
  const found = await findApps(repository.root, repository.config.release ?? [], repository.positions);
  const apps = selectedApps(found, keys);
  // A misspelled key would allow nothing.
  selectedApps(found, options.allow?.same);
  const published = await publishedState(repository, against);
  const loads =
    options.loadTest ?? wantsLoadTest(repository.config.bundle, {}, !isPlanned(options) && action === 'publish');
  const built = await evaluateApps(repository, apps, published, { jobs, loads });
  const withoutFolder = keys === undefined ? await appsWithoutFolder(repository, found, built, published, against) : [];
  if (action === 'bump')
    return released(await bumpApps(repository, built, published, { dryRun, jobs }), { withoutFolder });
  const accepted = accept(repository, built, action === 'check' ? { ...options, attester: undefined } : options);
  const wanted = wantedApps(accepted, options);
  const described = describedApps(accepted, published, options);
  const hasPlan = action === 'publish' && dryRun;
  if (wanted.length === 0 && described.length === 0)
    return released(accepted, { withoutFolder, plan: hasPlan ? { steps: [] } : null });
  const registry = await registryFor(repository, published, wanted, options);
  const settings = { ...(await settingsOf(repository, jobs, options)), described };
  const progress = openProgress(wanted.length, repository.listener, options);
  const { plan, ...results } = await publishAll(registry, wanted, settings, progress).finally(progress.stop);
  return released(accepted, { withoutFolder, results, plan: hasPlan ? plan : null });
}

const NOTHING: ReleaseResults = { results: [], entries: [] };

/** True if nothing is written. */
function isPlanned({ action, dryRun = false }: ReleaseOptions): boolean {
  return action === 'check' || dryRun;
}

/** A check plans the new versions only: for others, stored artifacts are read. */
function wantedApps(accepted: readonly EvaluatedApp[], { action }: ReleaseOptions): PreparedApp[] {
  return accepted.flatMap(({ prepared, result }) =>
    prepared === null || (action === 'check' && result.state !== 'new') ? [] : [prepared],
  );
}

/** The apps whose texts and icons are published, or recorded. A state that `against` names cannot be written. */
function describedApps(
  accepted: readonly EvaluatedApp[],
  { store }: PublishedState,
  { action }: ReleaseOptions,
): AppToAssemble[] {
  if (store === null) return [];
  return accepted.flatMap(({ described, result }) =>
    described === null || (action === 'check' && !hasWrites(result.changes)) ? [] : described,
  );
}

/**
 * The registry as it is now: others may have published while the apps were built. That of a state that `against` names
 * cannot be written.
 */
async function registryFor(
  repository: OpenRepository,
  published: PublishedState,
  wanted: readonly PreparedApp[],
  options: ReleaseOptions,
): Promise<ReleaseRegistry> {
  if (published.store === null && isPlanned(options))
    return {
      ...listedLocation(repository.config, new Set(wanted.map(({ key }) => key)), published.listed),
      workspace: null,
    };
  const store = published.store ?? (await repository.openStore());
  store.forget?.();
  const location = await registryLocation(repository, async () => store);
  return { ...location, workspace: await workspaceBeside(store, repository.root) };
}

async function settingsOf(
  { config, severities }: OpenRepository,
  jobs: number,
  options: ReleaseOptions,
): Promise<PublishAllOptions> {
  const isCheck = options.action === 'check';
  const judgeSettings = {
    now: new Date().toISOString(),
    severities: await severities(),
    appEntry: config.artifact?.entry ?? null,
    // A check needs no option that signs.
    requiresAttestation: !isCheck && config.evidence?.attestations?.mode === 'require',
    allow: options.allow ?? {},
  };
  const { readBack } = options;
  return { jobs, judgeSettings, dryRun: isPlanned(options), testsWritable: !isCheck, ...(readBack && { readBack }) };
}

/** Reports each app as soon as something is known of it, and shows how far the publication has got. */
function openProgress(count: number, listener: Listener, options: ReleaseOptions): PublishListener & { stop(): void } {
  const line = isPlanned(options) ? null : listener.progress(message`Publishing ${counted(count, 'app')}`);
  const done = new Set<PreparedApp>();
  const reached = (app: PreparedApp): void => {
    done.add(app);
    line?.update(() => message`Publishing: ${done.size} of ${counted(count, 'app')}, ${app.key}`);
  };
  return {
    stored: reached,
    ended(result) {
      reached(result.app);
      if (!isPlanned(options)) options.onResult?.(result);
      if (result.findings.length > 0) options.onFindings?.(result.app, result.findings);
    },
    stop: () => line?.stop(),
  };
}

/** Results of a release, besides the states of the apps. */
interface Outcomes {
  withoutFolder: readonly AppWithoutFolder[];
  results?: ReleaseResults;
  plan?: Plan<PlannedStep> | null;
}

function released(
  evaluated: readonly EvaluatedApp[],
  { withoutFolder, results = NOTHING, plan = null }: Outcomes,
): Released {
  const apps = withResults(evaluated, results);
  const steps = plan && plan.steps;
  return { report: releaseReport(VERSION, apps, notPublished(results), { plan: steps, withoutFolder }), plan };
}

import { message } from '../../core/text/message.ts';
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type Diagnosing, diagnose as diagnoseFacts, startDiagnosing } from '../../core/engine/diagnosis.ts';
import type { Missing, RequestedApps, ServiceFacts } from '../../core/facts/facts.ts';
import { redact } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import { settings } from '../check/settings.ts';
import { checked } from '../check/checked.ts';
import { savedComparison } from '../check/comparison.ts';
import { reportCheck } from '../check/report.ts';
import { flagOf, type OptionValues } from '../define/command.ts';
import type { Context } from '../config/context.ts';
import { type CheckRun, type LiveCheck, liveCheck, startRun } from '../check/live-check.ts';
import { observeAndJudge } from '../check/observe-and-judge.ts';
import { readSnapshot } from '../../observe/baseline/saved-facts.ts';
import { openSupportBundle } from '../check/support-bundle.ts';
import { assertEncrypted, serviceBase, tokenFrom } from './credentials.ts';
import { diagnoseCommand } from '../define/diagnose.ts';

export type DiagnoseOptions = OptionValues<typeof diagnoseCommand.options>;

/** `appreg diagnose <url|facts.json>`: the checks of verify, reported by symptom. Exit codes as for verify. */
export async function runDiagnose(context: Context, where: string, options: DiagnoseOptions): Promise<number> {
  return checked(context, 'diagnose', redact(where), async () => {
    const requested = requestedApps(options);
    return namesFile(context, where)
      ? diagnoseSaved(context, where, requested, options)
      : diagnoseLive(context, where, requested, options);
  });
}

/** Observes and diagnoses a live registry; --bundle saves facts and report. */
async function diagnoseLive(
  context: Context,
  url: string,
  requested: RequestedApps | null,
  options: DiagnoseOptions,
): Promise<number> {
  const check = await liveCheck(context, 'diagnose', url, options);
  const service = serviceQuery(context, check, requested, options);
  check.web.newestFirst = true;
  const version = requested?.version ?? null;
  if (version !== null) check.web.versions = (listed) => listed === version;
  const run = await startRun(check);
  const started: { diagnosing: Diagnosing | null } = { diagnosing: null };
  const writer =
    options.bundle === undefined
      ? null
      : openSupportBundle(resolve(context.cwd, options.bundle), {
          head: { ...run.header, requested },
          conceal: (text) => run.conceal(text),
          faults: () => started.diagnosing?.faults() ?? 0,
        });
  try {
    const { judging, exit, report, incomplete } = await observeAndJudge(context, run, {
      start: (judgeOptions) => (started.diagnosing = startDiagnosing({ ...judgeOptions, requested })),
      writer,
      service,
    });
    writer?.finish(report, incomplete, describeRun(run, options));
    const code = reportCheck(context, report, run, { diagnosis: judging.diagnosis() });
    return exit ?? code;
  } finally {
    writer?.abandon();
  }
}

/** Prepares the query to the service that --service names; null if none is named. */
function serviceQuery(
  { env }: Context,
  { target, web }: LiveCheck,
  requested: RequestedApps | null,
  { service, tokenEnv, timeout }: DiagnoseOptions,
): (() => Promise<ServiceFacts | Missing>) | null {
  if (service === undefined) {
    if (tokenEnv === undefined) return null;
    throw new AppregError(
      'option-missing',
      message`--token-env requires --service.`,
      message`Add --service <base_url>.`,
    );
  }
  const base = serviceBase(service);
  const headers = tokenFrom(tokenEnv, env);
  assertEncrypted(base, headers.length > 0);
  const { ca = null, machineCa = null, proxyFor } = web;
  const query = {
    service: base,
    url: target,
    apps: requested?.apps ?? null,
    headers,
    http: { ca, machineCa, ...(proxyFor ? { proxyFor } : {}) },
    timeout: (timeout ?? 60) * 1000,
  };
  return async () => {
    const { observeService } = await import('../../observe/service/observe-service.ts');
    return observeService(query);
  };
}

/** The same diagnosis from saved facts or a support bundle. */
async function diagnoseSaved(
  context: Context,
  file: string,
  requested: RequestedApps | null,
  options: DiagnoseOptions,
): Promise<number> {
  const unusable = LIVE_ONLY.find((name) => options[name] !== undefined);
  if (unusable !== undefined)
    throw new AppregError(
      'option-conflict',
      message`${flagOf(diagnoseCommand.options[unusable])} cannot be used with saved facts: no requests are sent.`,
      message`Omit it, or give the URL of the registry.`,
    );
  const { severities, exceptions } = await settings(context);
  const snapshot = await readSnapshot(resolve(context.cwd, file));
  const narrowed =
    requested === null
      ? snapshot
      : { ...snapshot, requested, apps: snapshot.apps.filter((app) => requested.apps.includes(app.key)) };
  const { facts, baseline } = await savedComparison(context, narrowed, options.against);
  const { report, diagnosis } = diagnoseFacts(facts, { severities, exceptions, baseline });
  return reportCheck(context, report, { severities, exceptions, now: snapshot.seenAt }, { diagnosis });
}

/** Options that change how requests are sent, or save what they return. */
const LIVE_ONLY = [
  'bundle',
  'origin',
  'header',
  'headerEnv',
  'concurrency',
  'timeout',
  'ca',
  'skipArtifacts',
  'service',
  'tokenEnv',
  'attestations',
  'issuer',
  'identity',
  'repository',
  'key',
  'trustedRoot',
] as const;

/** True for the name of a file, as opposed to a URL. */
function namesFile(context: Context, where: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(where)) return false;
  // A bare name with one of our file extensions is not a host.
  return existsSync(resolve(context.cwd, where)) || /^[^/]*\.json$/i.test(where);
}

/** Reads --app and --version; null for the whole registry. */
function requestedApps({ app, version }: DiagnoseOptions): RequestedApps | null {
  if (app === undefined && version !== undefined)
    throw new AppregError('option-missing', message`--version requires --app.`, message`Add --app <key>.`);
  return app === undefined ? null : { apps: [...new Set(app)], version: version ?? null };
}

/** Describes the run for the ticket: the given options without secrets. */
function describeRun({ now, web, target }: CheckRun, options: DiagnoseOptions): object {
  const { ca, against, timeout, concurrency, skipArtifacts, app, version, service } = options;
  return {
    time: now,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    options: {
      app: app ?? [],
      version: version ?? null,
      origin: web.origins ?? [],
      headers: (web.secrets?.headers ?? []).map(([name]) => name),
      ca: ca === undefined ? null : basename(ca),
      against: against === undefined ? null : redact(against),
      timeout: timeout ?? null,
      concurrency: concurrency ?? null,
      skipArtifacts: skipArtifacts === true,
      service: service === undefined ? null : redact(service),
    },
    proxy: web.proxyFor?.(new URL(target))?.facts ?? null,
  };
}

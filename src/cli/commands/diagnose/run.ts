import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type Diagnosing, diagnose as diagnoseFacts, startDiagnosing } from '../../../core/engine/diagnosis.ts';
import type { RequestedApps } from '../../../core/facts/facts.ts';
import { redact } from '../../../core/text/text.ts';
import { AppregError } from '../../../core/errors.ts';
import { checked, printReport, severitiesOf } from '../../check/checks.ts';
import type { OptionValues } from '../../command-definition.ts';
import type { Context } from '../../context.ts';
import { headOf, type LiveCheck, liveCheck, observeAndJudge } from '../../check/live-check.ts';
import { readSnapshot } from '../../check/snapshot-file.ts';
import { openSupportBundle } from '../../check/support-bundle.ts';
import type { diagnoseCommand } from './options.ts';

export type DiagnoseOptions = OptionValues<typeof diagnoseCommand.options>;

/** `appreg diagnose <url|facts.json>`: the checks of verify, reported by symptom. Exit codes as for verify. */
export async function diagnose(context: Context, where: string, options: DiagnoseOptions): Promise<number> {
  return checked(context, 'diagnose', redact(where), async () => {
    const asked = askedOf(options);
    return isFile(context, where) ? saved(context, where, asked, options) : live(context, where, asked, options);
  });
}

async function live(
  context: Context,
  url: string,
  asked: RequestedApps | null,
  options: DiagnoseOptions,
): Promise<number> {
  const check = await liveCheck(context, 'diagnose', url, options);
  check.web.newestFirst = true;
  const version = asked?.version ?? null;
  if (version !== null) check.web.versions = (listed) => listed === version;
  let diagnosing: Diagnosing | null = null;
  const ticket =
    options.bundle === undefined
      ? null
      : openSupportBundle(resolve(context.cwd, options.bundle), {
          head: { ...headOf(check), requested: asked },
          conceal: (text) => check.conceal(text),
          faults: () => diagnosing?.faults() ?? 0,
        });
  try {
    const { exit, report, incomplete } = await observeAndJudge(
      context,
      check,
      ticket,
      null,
      (with_) => (diagnosing = startDiagnosing({ ...with_, requested: asked })),
    );
    ticket?.finish(report, incomplete, runOf(check, options));
    const code = printReport(context, report, { severities: check.severities, about: diagnosing!.about() });
    return exit ?? code;
  } finally {
    ticket?.abandon();
  }
}

/** The same diagnosis from saved facts or a support bundle. */
async function saved(
  context: Context,
  file: string,
  asked: RequestedApps | null,
  options: DiagnoseOptions,
): Promise<number> {
  const idle = LIVE_ONLY.find((name) => options[name] !== undefined);
  if (idle !== undefined)
    throw new AppregError(
      'option-conflict',
      `--${idle.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)} cannot be used with saved facts: no requests are sent.`,
      'Omit it, or give the URL of the registry.',
    );
  const { config } = await context.config();
  const snapshot = await readSnapshot(resolve(context.cwd, file));
  const narrowed =
    asked === null
      ? snapshot
      : { ...snapshot, requested: asked, apps: snapshot.apps.filter((app) => asked.apps.includes(app.key)) };
  const severities = severitiesOf(context, config);
  const { report, about } = diagnoseFacts(narrowed, { severities });
  return printReport(context, report, { severities, about });
}

const LIVE_ONLY = [
  'bundle',
  'origin',
  'header',
  'headerEnv',
  'concurrency',
  'timeout',
  'ca',
  'skipArtifacts',
  'against',
] as const;

function isFile(context: Context, where: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(where)) return false;
  // A bare name with one of our file extensions is not a host.
  return existsSync(resolve(context.cwd, where)) || /^[^/]*\.json$/i.test(where);
}

function askedOf({ app, version }: DiagnoseOptions): RequestedApps | null {
  if (app === undefined && version !== undefined)
    throw new AppregError('option-missing', '--version requires --app.', 'Add --app <key>.');
  return app === undefined ? null : { apps: [...new Set(app)], version: version ?? null };
}

/** How it was run, for the ticket: the given options without secrets. */
function runOf({ now, web, target }: LiveCheck, options: DiagnoseOptions): object {
  const { ca, against, timeout, concurrency, skipArtifacts, app, version } = options;
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
    },
    proxy: web.proxyFor?.(new URL(target))?.facts ?? null,
  };
}

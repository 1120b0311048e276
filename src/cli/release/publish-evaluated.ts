import { counted } from '../../core/text/text.ts';
import type { AppregError } from '../../core/errors.ts';
import { lockedVersion } from '../../publish/apps/plan-app.ts';
import { planApps, publishApps, type PublishedApp } from '../../publish/publish-apps.ts';
import type { PreparedApp } from '../../publish/prepared-app.ts';
import { severitiesOf } from '../check/severities.ts';
import type { Context } from '../context.ts';
import type { OpenStore } from '../config/open-store.ts';
import { openWorkspace } from '../config/workspace.ts';
import { lockVersions } from '../lock.ts';
import { readBack, READ_BACK_SECONDS } from '../read-back.ts';
import { printFindings } from '../remarks.ts';
import type { EvaluatedApp } from './evaluate.ts';

export interface ReleaseResult {
  evaluated: EvaluatedApp[];
  /** The keys of the apps that could not be published. */
  failed: Set<string>;
}

interface PublishSettings {
  /** The store that the apps were compared with. */
  store: OpenStore | null;
  /** Plans every app, and writes nothing. */
  dryRun: boolean;
  jobs: number;
}

/** Publishes the new versions, and records the sources of published ones that an interrupted run did not record. */
export async function publishEvaluated(
  context: Context,
  evaluated: readonly EvaluatedApp[],
  { store, dryRun, jobs }: PublishSettings,
): Promise<ReleaseResult> {
  const { terminal } = context;
  const apps = evaluated.flatMap(({ prepared, result }) =>
    prepared === null || (dryRun && result.state !== 'new') ? [] : [prepared],
  );
  const failed = new Set<string>();
  if (apps.length === 0) return { evaluated: [...evaluated], failed };
  // Others may have published while the apps were built.
  store?.forget?.();
  const { place, config, file, root } = await openWorkspace(context, store);
  const judgeSettings = {
    now: new Date().toISOString(),
    severities: await severitiesOf(context, { config, file }),
    appEntry: config.artifact?.entry ?? null,
  };
  if (dryRun) {
    const plans = await planApps(place, apps, { jobs, judgeSettings });
    return withErrors(evaluated, new Map(plans.flatMap(({ app, error }) => (error ? [[app, error]] : []))));
  }
  const progress = terminal.progress(`Publishing ${counted(apps.length, 'app')}`);
  let done = 0;
  const patience = READ_BACK_SECONDS[config.store?.type ?? 'directory'];
  try {
    const results = await publishApps(place, apps, {
      jobs,
      judgeSettings,
      readBack: (_, entry) => readBack(context, entry, patience),
      onResult({ app, outcome, findings }) {
        done += 1;
        progress.update(`Publishing: ${done} of ${counted(apps.length, 'app')}, ${app.key}`);
        terminal.item(`${outcome}  ${app.key} ${app.version}`);
        printFindings(terminal, findings);
      },
    });
    // A store other than the workspace has a lock file of its own, which was written with the versions.
    const entries = results.flatMap(({ app, entry, outcome }) =>
      entry === null || outcome === 'failed'
        ? []
        : [{ app: app.key, version: lockedVersion(app, entry, judgeSettings.now) }],
    );
    await lockVersions(root, entries);
    return withResults(evaluated, new Map(results.map((result) => [result.app, result])));
  } finally {
    progress.stop();
  }
}

/** For --check: a new version that a rule would refuse makes its app broken. Writes nothing. */
export async function withRefusals(
  context: Context,
  evaluated: readonly EvaluatedApp[],
  settings: Omit<PublishSettings, 'dryRun'>,
): Promise<EvaluatedApp[]> {
  const planned = await publishEvaluated(context, evaluated, { ...settings, dryRun: true });
  return planned.evaluated.map((one) =>
    planned.failed.has(one.app.key) ? { ...one, result: { ...one.result, state: 'broken' } } : one,
  );
}

function withResults(
  evaluated: readonly EvaluatedApp[],
  results: ReadonlyMap<PreparedApp, PublishedApp>,
): ReleaseResult {
  const errors = new Map<PreparedApp, AppregError>();
  const after = evaluated.map((one): EvaluatedApp => {
    const result = one.prepared === null ? undefined : results.get(one.prepared);
    if (one.prepared === null || result === undefined) return one;
    if (result.outcome === 'failed' && result.error !== null) errors.set(one.prepared, result.error);
    return { ...one, result: { ...one.result, ...outcomeOf(one, result) } };
  });
  return withErrors(after, errors);
}

/** What changes in the result of an app that was published, or already was. */
function outcomeOf({ result }: EvaluatedApp, { outcome, error }: PublishedApp): Partial<EvaluatedApp['result']> {
  if (outcome === 'failed' || result.state !== 'new') return {};
  const { declared } = result;
  if (outcome === 'already-published')
    return { message: `Another run published ${declared} with the same bytes.`, advice: null };
  return {
    published: true,
    message: error?.summary ?? `Published ${declared}.`,
    advice: error?.hint ?? null,
  };
}

function withErrors(evaluated: readonly EvaluatedApp[], errors: ReadonlyMap<PreparedApp, AppregError>): ReleaseResult {
  const failed = new Set<string>();
  const after = evaluated.map((one) => {
    const error = one.prepared === null ? undefined : errors.get(one.prepared);
    if (error === undefined) return one;
    failed.add(one.app.key);
    return { ...one, result: { ...one.result, message: error.message, advice: error.hint } };
  });
  return { evaluated: after, failed };
}

import { message } from '../../core/text/message.ts';
import { counted } from '../../core/text/text.ts';
import type { AppregError } from '../../core/errors.ts';
import type { JudgeSettings } from '../../publish/check-change.ts';
import { lockedVersion } from '../../publish/apps/plan-app.ts';
import type { Plan } from '../../publish/plan.ts';
import { planApps, publishApps, type PublishedApp } from '../../publish/publish-apps.ts';
import type { Allowances } from '../../publish/refuse-typos.ts';
import type { PreparedApp } from '../../publish/prepared-app.ts';
import { severitiesOf } from '../check/severities.ts';
import type { Context } from '../context.ts';
import { openWorkspace } from '../config/workspace.ts';
import { lockVersions } from '../lock.ts';
import { printFindings } from '../remarks.ts';
import type { EvaluatedApp } from './evaluate.ts';
import type { PublishedStateOfStore } from './published.ts';
import { listedLocation } from './listed-location.ts';

interface ReleaseResult {
  evaluated: EvaluatedApp[];
  /** The keys of the apps that were not refused, and could not be published. */
  failed: Set<string>;
}

interface PublishSettings {
  /** What the apps were compared with. */
  published: PublishedStateOfStore;
  jobs: number;
  allow: Allowances;
}

/**
 * Plans the new versions, and writes nothing. An app that is refused is broken.
 * @returns with the steps of all others, in the order in which they are applied
 */
export async function planEvaluated(
  context: Context,
  evaluated: readonly EvaluatedApp[],
  { published, jobs, allow }: PublishSettings,
): Promise<{ evaluated: EvaluatedApp[]; plan: Plan }> {
  const apps = evaluated.flatMap(({ prepared, result }) =>
    prepared === null || result.state !== 'new' ? [] : [prepared],
  );
  if (apps.length === 0) return { evaluated: [...evaluated], plan: { steps: [] } };
  const { config } = await context.config();
  const { store, listed } = published;
  // Others may have published while the apps were built.
  store?.forget?.();
  const place = store === null ? listedLocation(config, apps, listed) : (await openWorkspace(context, store)).place;
  const planned = await planApps(place, apps, { jobs, judgeSettings: await settingsOf(context, allow) });
  const errors = new Map(planned.apps.flatMap(({ app, error }) => (error ? [[app, error]] : [])));
  return { evaluated: evaluated.map((one) => refused(one, errors)), plan: planned.plan };
}

/** Publishes the new versions, and records the sources of published ones that an interrupted run did not record. */
export async function publishEvaluated(
  context: Context,
  evaluated: readonly EvaluatedApp[],
  { published, jobs, allow }: PublishSettings,
): Promise<ReleaseResult> {
  const { terminal } = context;
  const apps = evaluated.flatMap(({ prepared }) => prepared ?? []);
  if (apps.length === 0) return { evaluated: [...evaluated], failed: new Set() };
  const { store } = published;
  // Others may have published while the apps were built.
  store?.forget?.();
  const { place, config, root } = await openWorkspace(context, store);
  const judgeSettings = await settingsOf(context, allow);
  const progress = terminal.progress(message`Publishing ${counted(apps.length, 'app')}`);
  let done = 0;
  try {
    const results = await publishApps(place, apps, {
      jobs,
      judgeSettings,
      readBack: async (_, entry) => {
        const { readBack, READ_BACK_SECONDS } = await import('../read-back.ts');
        await readBack(context, entry, READ_BACK_SECONDS[config.store?.type ?? 'directory']);
      },
      onResult({ app, findings }) {
        done += 1;
        progress.update(() => message`Publishing: ${done} of ${counted(apps.length, 'app')}, ${app.key}`);
        printFindings(terminal, findings);
      },
    });
    // A store other than the workspace has a lock file of its own, which was written with the versions.
    const entries = results.flatMap(({ app, entry, outcome }) =>
      entry === null || !isStored(outcome)
        ? []
        : [{ app: app.key, version: lockedVersion(app, entry, judgeSettings.now) }],
    );
    await lockVersions(root, entries);
    return withResults(evaluated, new Map(results.map((result) => [result.app, result])));
  } finally {
    progress.stop();
  }
}

async function settingsOf(context: Context, allow: Allowances): Promise<JudgeSettings> {
  const { config, file } = await context.config();
  return {
    now: new Date().toISOString(),
    severities: await severitiesOf(context, { config, file }),
    appEntry: config.artifact?.entry ?? null,
    allow,
  };
}

function isStored(outcome: PublishedApp['outcome']): boolean {
  return outcome === 'published' || outcome === 'already-published';
}

/** An app with an error is broken: it was refused before anything was written. */
function refused(one: EvaluatedApp, errors: ReadonlyMap<PreparedApp, AppregError>): EvaluatedApp {
  const error = one.prepared === null ? undefined : errors.get(one.prepared);
  return error === undefined ? one : brokenBy(one, error);
}

/** The same app, which cannot be published for this reason. */
export function brokenBy(one: EvaluatedApp, { message, hint }: Pick<AppregError, 'message' | 'hint'>): EvaluatedApp {
  return { ...one, prepared: null, result: { ...one.result, state: 'broken', message, advice: hint } };
}

function withResults(
  evaluated: readonly EvaluatedApp[],
  results: ReadonlyMap<PreparedApp, PublishedApp>,
): ReleaseResult {
  const failed = new Set<string>();
  const after = evaluated.map((one): EvaluatedApp => {
    const result = one.prepared === null ? undefined : results.get(one.prepared);
    if (result === undefined) return one;
    const { outcome, error } = result;
    if (outcome === 'refused' && error !== null) return brokenBy(one, error);
    if (outcome === 'failed' && error !== null) {
      failed.add(one.app.key);
      return { ...one, result: { ...one.result, message: error.message, advice: error.hint } };
    }
    return { ...one, result: { ...one.result, ...outcomeOf(one, result) } };
  });
  return { evaluated: after, failed };
}

/** What changes in the result of an app that was published, or already was. */
function outcomeOf({ result }: EvaluatedApp, { outcome, error }: PublishedApp): Partial<EvaluatedApp['result']> {
  if (result.state !== 'new') return {};
  const { declared } = result;
  if (outcome === 'already-published')
    return { message: `Another run published ${declared} with the same bytes.`, advice: null };
  return {
    published: true,
    message: error?.summary ?? `Published ${declared}.`,
    advice: error?.hint ?? null,
  };
}

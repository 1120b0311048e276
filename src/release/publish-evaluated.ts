import { message, safe } from '../core/text/message.ts';
import { counted } from '../core/text/text.ts';
import type { NewVersion } from '../author/metadata.ts';
import type { Finding } from '../core/findings/report.ts';
import type { AppregError } from '../core/errors/error.ts';
import { LOCK_FILE } from '../core/registry/lock-file.ts';
import type { JudgeSettings } from '../publish/check-change.ts';
import { lockedVersion } from '../publish/lock-step.ts';
import type { Plan, PlannedStep } from '../publish/plan.ts';
import { requireWritable } from '../publish/require-writable.ts';
import type { RegistryLocation } from '../publish/registry-location.ts';
import type { Allowances } from '../publish/refuse-typos.ts';
import { lockVersions, requireWritableLock } from '../workspace/lock.ts';
import { registryLocation } from '../workspace/location.ts';
import { brokenBy, type EvaluatedApp } from './evaluate.ts';
import { planApps, publishApps } from './publish-apps.ts';
import { errorOfApp, type PreparedApp, type PublishedApp } from './publish-together.ts';
import { listedLocation, type PublishedState } from './published.ts';
import type { OpenRepository } from './repository.ts';

interface ReleaseResult {
  evaluated: EvaluatedApp[];
  /** The keys of the apps that were not refused, and could not be published, or not recorded in the lock file. */
  failed: Set<string>;
}

interface PublishSettings {
  /** What the apps were compared with. */
  published: PublishedState;
  jobs: number;
  allow: Allowances;
}

export interface PublishCallbacks {
  /** Fetches a stored artifact from its public URL before it is listed; a rejection prevents that it is listed. */
  readBack?(entry: NewVersion): Promise<void>;
  /** Called once for each app, as soon as it is published or has failed. */
  onResult?(result: PublishedApp): void;
  /** Called for each new version with warnings or notes, whether it is published or only planned. */
  onFindings?(app: PreparedApp, findings: readonly Finding[]): void;
}

/**
 * Plans what `publishEvaluated` would write, and writes nothing. An app that is refused is broken.
 * @param settings.isCheck plans the new versions only: for others, stored artifacts are read
 * @returns with the steps of all others, in the order in which they are applied
 */
export async function planEvaluated(
  repository: OpenRepository,
  evaluated: readonly EvaluatedApp[],
  {
    published,
    jobs,
    allow,
    onFindings,
    isCheck,
  }: PublishSettings & Pick<PublishCallbacks, 'onFindings'> & { isCheck: boolean },
): Promise<{ evaluated: EvaluatedApp[]; plan: Plan<PlannedStep> }> {
  const apps = evaluated.flatMap(({ prepared, result }) =>
    prepared === null || (isCheck && result.state !== 'new') ? [] : [prepared],
  );
  if (apps.length === 0) return { evaluated: [...evaluated], plan: { steps: [] } };
  const { store, listed } = published;
  const place =
    store === null ? listedLocation(repository.config, apps, listed) : await currentLocation(repository, store);
  const settings = await settingsOf(repository, allow);
  // A check needs no option that signs.
  const judgeSettings = isCheck ? { ...settings, requiresAttestation: false } : settings;
  const planned = await planApps(place, apps, { jobs, judgeSettings });
  for (const { app, version } of planned.apps)
    if (version !== null && version.findings.length > 0) onFindings?.(app, version.findings);
  const unwritable = isCheck ? [] : await unwritableApps(repository, place.store, planned);
  const errors = new Map([
    ...planned.apps.flatMap(({ app, error }) => (error ? [[app, error] as const] : [])),
    ...unwritable,
  ]);
  return { evaluated: evaluated.map((one) => refused(one, errors)), plan: planned.plan };
}

/** Publishes the new versions, and records the sources of published ones that an interrupted run did not record. */
export async function publishEvaluated(
  repository: OpenRepository,
  evaluated: readonly EvaluatedApp[],
  { published, jobs, allow, readBack, onResult, onFindings }: PublishSettings & PublishCallbacks,
): Promise<ReleaseResult> {
  const apps = evaluated.flatMap(({ prepared }) => prepared ?? []);
  if (apps.length === 0) return { evaluated: [...evaluated], failed: new Set() };
  const place = await currentLocation(repository, published.store ?? (await repository.openStore()));
  if (evaluated.some(({ result }) => result.state === 'new')) await requireWritableLock(repository.root);
  const judgeSettings = await settingsOf(repository, allow);
  const progress = repository.listener.progress(message`Publishing ${counted(apps.length, 'app')}`);
  let done = 0;
  try {
    const results = await publishApps(place, apps, {
      jobs,
      judgeSettings,
      ...(readBack && { readBack: (_: PreparedApp, entry: NewVersion) => readBack(entry) }),
      onResult(result) {
        done += 1;
        progress.update(() => message`Publishing: ${done} of ${counted(apps.length, 'app')}, ${result.app.key}`);
        onResult?.(result);
        if (result.findings.length > 0) onFindings?.(result.app, result.findings);
      },
    });
    // A store other than the workspace has a lock file of its own, which was written with the versions; those that it
    // does not have are recorded by the next run.
    const entries = results.flatMap(({ app, entry, outcome, error }) =>
      entry === null || !isStored(outcome) || error !== null
        ? []
        : [{ app: app.key, version: lockedVersion(app, entry, judgeSettings.now) }],
    );
    const lockError = await lockVersions(repository.root, entries).then(() => null, errorOfApp);
    return withResults(evaluated, new Map(results.map((result) => [result.app, withLockError(result, lockError)])));
  } finally {
    progress.stop();
  }
}

/** The apps with a file that cannot be written: publishing refuses them before their first step. */
async function unwritableApps(
  { root }: OpenRepository,
  store: RegistryLocation['store'],
  { apps, plan }: Awaited<ReturnType<typeof planApps>>,
): Promise<[PreparedApp, AppregError][]> {
  const versions = apps.flatMap(({ app, version }) => (version === null ? [] : [{ app, version }]));
  if (versions.some(({ version }) => !version.published)) await requireWritableLock(root);
  const shared = plan.steps.filter((step) => !versions.some(({ version }) => version.plan.steps.includes(step)));
  const found: [PreparedApp, AppregError][] = [];
  for (const { app, version } of versions)
    await requireWritable([...version.plan.steps, ...shared], store).catch(
      (error: unknown) => void found.push([app, errorOfApp(error)]),
    );
  return found;
}

/** The registry as it is now: others may have published while the apps were built. */
function currentLocation(repository: OpenRepository, store: RegistryLocation['store']): Promise<RegistryLocation> {
  store.forget?.();
  return registryLocation(repository, async () => store);
}

async function settingsOf({ config, severities }: OpenRepository, allow: Allowances): Promise<JudgeSettings> {
  return {
    now: new Date().toISOString(),
    severities: await severities(),
    appEntry: config.artifact?.entry ?? null,
    requiresAttestation: config.evidence?.attestations?.mode === 'require',
    allow,
  };
}

/** The result of an app whose version the lock file of the workspace does not have; that of the store has it. */
function withLockError(result: PublishedApp, error: AppregError | null): PublishedApp {
  if (error === null || result.error !== null || !isStored(result.outcome)) return result;
  return {
    ...result,
    error: error.with({
      hint: message`${safe(error.hint)}${error.hint.endsWith('.') ? ' Then' : '; then'} run appreg lock`,
    }),
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
    if (error !== null) failed.add(one.app.key);
    if (error !== null && (outcome === 'failed' || one.result.state !== 'new')) {
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
  const done =
    outcome === 'already-published'
      ? `Another run published ${declared} with the same bytes.`
      : `Published ${declared}.`;
  return {
    ...(outcome === 'published' && { published: true }),
    message: error === null ? done : `${done} ${LOCK_FILE} does not have it yet: ${error.summary}`,
    advice: error?.hint ?? null,
  };
}

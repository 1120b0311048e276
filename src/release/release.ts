import { availableParallelism } from 'node:os';
import { message } from '../core/text/message.ts';
import { AppregError } from '../core/errors/error.ts';
import { releaseReport, type ReleaseReport } from '../core/release/report.ts';
import { VERSION } from '../core/values/tool-version.ts';
import { unusedSecret, withoutAllowed } from '../publish/check-content.ts';
import { exceptedSecrets } from '../publish/excepted-secrets.ts';
import type { Attester } from '../publish/artifact.ts';
import type { Plan, PlannedStep } from '../publish/plan.ts';
import type { Allowances } from '../publish/refuse-typos.ts';
import { refuseOtherBaseIn } from '../workspace/base-url.ts';
import { bumpApps } from './bump.ts';
import { brokenBy, type EvaluatedApp, evaluateApps } from './evaluate.ts';
import { findApps, selectedApps } from './find-apps.ts';
import { planEvaluated, publishEvaluated, type PublishCallbacks } from './publish-evaluated.ts';
import { publishedState } from './published.ts';
import { type OpenRepository, type Repository, withDefaults } from './repository.ts';
import { describeUncommitted, uncommittedFiles } from './uncommitted.ts';

export interface ReleaseOptions extends PublishCallbacks {
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
  /** Fingerprints of secrets that artifacts may contain. */
  allowedSecrets?: readonly string[];
  /** Allows sources that are not committed in git. */
  allowDirty?: boolean;
  allow?: Allowances;
  /** Makes the attestations of the versions that `publish` publishes; absent for none. */
  attester?: Attester | undefined;
}

/** The outcome of a release. */
export interface Released {
  report: ReleaseReport;
  /** What a dry run of `publish` would write; otherwise null. */
  plan: Plan<PlannedStep> | null;
}

/**
 * Builds every app of a repository, compares the bytes with the published versions, and publishes what is new. An app
 * that is refused, or cannot be published, stops no other: the report says why.
 * @throws AppregError for what concerns every app, such as an invalid configuration or a registry that cannot be read
 */
export async function release(given: Repository, options: ReleaseOptions): Promise<Released> {
  const { action, dryRun = false, keys, against, jobs = availableParallelism(), allow = {} } = options;
  const repository = withDefaults(given);
  refuseOtherBaseIn(repository.root, repository.config);
  const apps = selectedApps(await findApps(repository.root, repository.config.release ?? []), keys);
  const published = await publishedState(repository, against);
  const built = await evaluateApps(repository, apps, published, jobs);
  if (action === 'bump')
    return { report: reportOf(await bumpApps(repository, built, published, { dryRun, jobs })), plan: null };
  const accepted = accept(repository, built, options);
  const { onFindings } = options;
  const settings = { published, jobs, allow, ...(onFindings && { onFindings }) };
  if (action === 'publish' && !dryRun) {
    const { evaluated, failed } = await publishEvaluated(repository, accepted, { ...options, ...settings });
    return { report: reportOf(evaluated, failed), plan: null };
  }
  const isCheck = action === 'check';
  const { evaluated, plan } = await planEvaluated(repository, accepted, { ...settings, isCheck });
  if (isCheck) return { report: reportOf(evaluated), plan: null };
  return { report: reportOf(evaluated, new Set(), plan), plan };
}

/**
 * The apps as they may be published: without allowed secrets, with their attester; one whose sources are not committed is
 * broken.
 */
function accept(
  repository: OpenRepository,
  built: readonly EvaluatedApp[],
  { action, allowedSecrets = [], allowDirty = false, attester }: ReleaseOptions,
): readonly EvaluatedApp[] {
  const allowed = allowSecretsIn(repository, built, allowedSecrets);
  const committed = allowDirty ? allowed : refuseUncommitted(repository, allowed);
  return action === 'publish' ? withAttester(committed, attester) : committed;
}

function reportOf(
  evaluated: readonly EvaluatedApp[],
  failed: ReadonlySet<string> = new Set(),
  plan: Plan<PlannedStep> | null = null,
): ReleaseReport {
  const results = evaluated.map(({ result }) => result);
  return releaseReport(VERSION, results, failed, plan && plan.steps);
}

/** The apps without the allowed and excepted secrets in the facts about their archives; an allowed fingerprint that no app has is a warning. */
function allowSecretsIn(
  { listener, config }: OpenRepository,
  apps: readonly EvaluatedApp[],
  allowed: readonly string[],
): EvaluatedApp[] {
  const now = new Date().toISOString();
  let unused: readonly string[] = allowed;
  const filtered = apps.map((app): EvaluatedApp => {
    if (app.prepared === null) return app;
    const { artifact } = app.prepared;
    const { key, version } = app.prepared;
    const excepted = exceptedSecrets(config.exceptions, { app: key, version, now });
    const kept = withoutAllowed(artifact.archive, allowed, excepted);
    unused = unused.filter((fingerprint) => kept.unused.includes(fingerprint));
    return { ...app, prepared: { ...app.prepared, artifact: { ...artifact, archive: kept.archive } } };
  });
  for (const fingerprint of unused) listener.log(message`warning: ${unusedSecret(fingerprint)}`);
  return filtered;
}

/** The new versions are attested; an older one keeps what it has. */
function withAttester(apps: readonly EvaluatedApp[], attester: Attester | undefined): readonly EvaluatedApp[] {
  if (attester === undefined) return apps;
  return apps.map((one) => {
    const { prepared, result } = one;
    if (prepared === null || result.state !== 'new') return one;
    return { ...one, prepared: { ...prepared, artifact: { ...prepared.artifact, attester } } };
  });
}

/** A new version whose sources are not committed in git makes its app broken: it could not be built again. */
function refuseUncommitted(
  { root, file, listener }: OpenRepository,
  evaluated: readonly EvaluatedApp[],
): EvaluatedApp[] {
  if (!evaluated.some(({ result }) => result.state === 'new')) return [...evaluated];
  const uncommittedIn = uncommittedFiles(root, listener);
  return evaluated.map((one) => {
    if (one.result.state !== 'new') return one;
    const files = uncommittedIn([...one.sources, ...(file === null ? [] : [file])]);
    return files.length === 0 ? one : brokenBy(one, uncommitted(files));
  });
}

function uncommitted(files: readonly string[]): AppregError {
  return new AppregError(
    'sources-uncommitted',
    message`${describeUncommitted(files)}, so the version could not be built again from the repository.`,
    message`Commit ${files.length === 1 ? 'it' : 'them'}, or use --allow-dirty.`,
    { effect: 'none' },
  );
}

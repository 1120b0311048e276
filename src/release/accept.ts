import { message } from '../core/text/message.ts';
import { AppregError } from '../core/errors/error.ts';
import { hasWrites } from '../core/release/entry-changes.ts';
import type { Attester } from '../publish/artifact.ts';
import { unusedSecret, withoutAllowed } from '../publish/check-content.ts';
import { exceptedSecrets } from '../publish/excepted-secrets.ts';
import { brokenBy, type EvaluatedApp } from './evaluate.ts';
import type { OpenRepository } from './repository.ts';
import { describeUncommitted, uncommittedFiles } from './uncommitted.ts';

/** Properties of the apps that are accepted before they are published. */
export interface Accepted {
  /** Fingerprints of secrets that artifacts may contain. */
  allowedSecrets?: readonly string[];
  /** Allows sources that are not committed in git. */
  allowDirty?: boolean;
  /** Makes the attestations of the versions that are published; absent for none. */
  attester?: Attester | undefined;
}

/**
 * The apps as they may be published: without allowed secrets, with their attester; one whose sources are not committed is
 * broken.
 */
export function accept(
  repository: OpenRepository,
  built: readonly EvaluatedApp[],
  { allowedSecrets = [], allowDirty = false, attester }: Accepted,
): readonly EvaluatedApp[] {
  const allowed = allowSecretsIn(repository, built, allowedSecrets);
  const committed = allowDirty ? allowed : refuseUncommitted(repository, allowed);
  return withAttester(committed, attester);
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

/** A new version, or a changed text, whose sources are not committed in git makes its app broken. */
function refuseUncommitted(
  { root, file, listener }: OpenRepository,
  evaluated: readonly EvaluatedApp[],
): EvaluatedApp[] {
  if (!evaluated.some((one) => one.result.state === 'new' || hasTexts(one))) return [...evaluated];
  const uncommittedIn = uncommittedFiles(root, listener);
  return evaluated.map((one) => {
    const texts = hasTexts(one) ? uncommittedIn(one.descriptionFiles) : [];
    if (texts.length > 0) return brokenBy(one, uncommitted(texts, 'the repository would not say what is published'));
    if (one.result.state !== 'new') return one;
    const files = uncommittedIn([...one.sources, ...(file === null ? [] : [file])]);
    return files.length === 0
      ? one
      : brokenBy(one, uncommitted(files, 'the version could not be built again from the repository'));
  });
}

function hasTexts({ described, result }: EvaluatedApp): boolean {
  return described !== null && hasWrites(result.changes);
}

/** @param consequence as the end of a sentence */
function uncommitted(files: readonly string[], consequence: string): AppregError {
  return new AppregError(
    'sources-uncommitted',
    message`${describeUncommitted(files)}, so ${consequence}.`,
    message`Commit ${files.length === 1 ? 'it' : 'them'}, or use --allow-dirty.`,
    { effect: 'none' },
  );
}

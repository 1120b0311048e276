import { isMissing } from '../core/facts/facts.ts';
import { member } from '../core/json/json.ts';
import { sameDigest } from '../core/registry/baseline.ts';
import { appFields } from '../core/registry/manifest.ts';
import { APP_DESCRIPTION } from '../core/release/app-description.ts';
import { highestOf } from '../core/release/state.ts';
import { type AppWithoutFolder, withoutFolder } from '../core/release/without-folder.ts';
import { describedKeys } from './app-folders.ts';
import type { EvaluatedApp } from './evaluate.ts';
import type { FoundApp } from './find-apps.ts';
import { type FormerFolders, formerFolders } from './former-folders.ts';
import type { PublishedState } from './published.ts';
import type { OpenRepository } from './repository.ts';

/**
 * Finds the listed apps that have no folder in the repository, and the renamed folders among the new ones.
 * @param found all apps of the repository
 * @param evaluated the same, with what they were built to
 * @param against the state that the apps are compared with; absent for the store
 */
export async function appsWithoutFolder(
  { root, cwd, config }: OpenRepository,
  found: readonly FoundApp[],
  evaluated: readonly EvaluatedApp[],
  published: PublishedState,
  against: string | undefined,
): Promise<AppWithoutFolder[]> {
  const entries = config.release ?? [];
  const known = new Set([...found.map(({ key }) => key), ...(await describedKeys(root, entries))]);
  const keys = published.listed.keys.filter((key) => !known.has(key)).toSorted();
  if (keys.length === 0) return [];
  const former = against === undefined ? null : await formerFolders(against, { root, cwd }, entries);
  const left = evaluated.filter(({ app }) => !published.listed.keys.includes(app.key));
  return keys.map((key) => {
    const versions = published.listed.app(key);
    const formerFolder = former?.folders.get(key) ?? null;
    const renamed = left.find((one) => isRenamed(key, one, published, former)) ?? null;
    // A folder was renamed once.
    if (renamed !== null) left.splice(left.indexOf(renamed), 1);
    return withoutFolder({
      key,
      listed: versions === null || isMissing(versions) ? null : highestOf(versions),
      formerFolder,
      renamed: renamed && { key: renamed.app.key, folder: renamed.app.folder, declared: renamed.result.declared },
    });
  });
}

/** True if an app that is not listed was the listed one: it has its code or its name, or git knows that its file was renamed. */
function isRenamed(
  key: string,
  { app, prepared, result }: EvaluatedApp,
  published: PublishedState,
  former: FormerFolders | null,
): boolean {
  const { checksum } = result;
  const versions = published.listed.app(key);
  const isKnown = checksum !== null && versions !== null && !isMissing(versions);
  if (isKnown && versions.some(({ artifactChecksum }) => sameDigest(artifactChecksum, checksum))) return true;
  const { name } = appFields(member(published.entries, key));
  if (name !== null && name === prepared?.listing?.given.name) return true;
  const folder = former?.folders.get(key);
  if (former === null || folder === undefined) return false;
  return former.isRenamed(`${folder}/${APP_DESCRIPTION}`, `${app.folder}/${APP_DESCRIPTION}`);
}

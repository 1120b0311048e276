import type { Tree } from './documents.ts';
import type { DocumentContent } from '../../core/json/content.ts';
import { type BaselineMetadataState, baselineStateText } from '../../core/facts/missing.ts';
import { lfsOid } from './lfs-pointer.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Missing } from '../../core/facts/facts.ts';
import { manifestAppsIn, metadataUrlOf } from '../../core/registry/manifest.ts';
import { AppregError } from '../../core/errors/error.ts';
import { message } from '../../core/text/message.ts';
import { asBase, localPath, inferBase } from './places.ts';

/**
 * A document of a tree, in its newest state that can be used, or why there is none.
 * @param isUsable false for a content that was never valid; subscribers have what was valid before
 */
export function documentAt(
  tree: Tree,
  path: string,
  isUsable: (content: DocumentContent) => boolean,
): DocumentContent | BaselineMetadataState {
  const stored = tree.read(path);
  const oid = stored === null ? null : lfsOid(stored);
  const content = oid === null ? stored : (tree.readLfs?.(oid) ?? null);
  if (oid !== null && content === null) return 'in-git-lfs';
  if (content !== null && isUsable(content)) return content;
  const fault = content === null ? (tree.faultOf?.(path) ?? null) : null;
  if (fault !== null) return fault;
  const earlier = tree.earlier?.(path, isUsable) ?? null;
  if (earlier !== null && earlier !== 'unknown') return earlier;
  if (content === null) return 'absent';
  return earlier === 'unknown' ? 'history-missing' : 'unreadable';
}

/** The listing of a tree's manifest. */
export interface TreeListing {
  manifest: DocumentContent;
  apps: JsonObject;
  base: string | null;
  /** The URLs of the metadata files, by app. */
  urls: ReadonlyMap<string, string>;
  /** The paths of those that are files of the tree, by app. */
  paths: ReadonlyMap<string, string>;
}

/**
 * The apps of a tree's manifest; why there are none if it does not exist, or was never valid in git.
 * @param baseUrls that the registry may have, the most likely first
 * @throws AppregError `baseline-unusable` for a manifest that cannot be read
 */
export function listingOf(tree: Tree, manifestName: string, baseUrls: readonly string[]): TreeListing | Missing {
  const { source } = tree;
  tree.fetch([manifestName]);
  const manifest = documentAt(tree, manifestName, (content) => manifestAppsIn(content) !== null);
  if (manifest === 'absent') return { missing: { code: 'baseline-without-manifest', manifest: manifestName, source } };
  if (manifest === 'unreadable' && tree.earlier !== undefined)
    return { missing: { code: 'baseline-unreadable', manifest: manifestName, source } };
  const apps = typeof manifest === 'string' ? null : manifestAppsIn(manifest);
  if (typeof manifest === 'string' || apps === null)
    throw new AppregError(
      'baseline-unusable',
      message`The manifest ${manifestName} in ${source} is not usable.${typeof manifest === 'string' && manifest !== 'unreadable' ? ` It ${baselineStateText(manifest, source)}.` : ''}`,
      message`Use a state in which the registry was valid.`,
    );
  const urls = new Map<string, string>();
  for (const key of Object.keys(apps)) {
    const url = metadataUrlOf(apps[key]);
    if (url !== null) urls.set(key, url);
  }
  const all = [...urls.values()];
  // The baseline may have had another base URL.
  const base =
    baseUrls.map(asBase).find((one) => all.some((url) => localPath(url, one) !== null)) ??
    inferBase(all, (path) => (tree.fetch([path]), tree.read(path) !== null));
  const paths = new Map<string, string>();
  for (const [key, url] of urls) {
    const path = localPath(url, base);
    if (path !== null) paths.set(key, path);
  }
  tree.fetch([...paths.values()]);
  return { manifest, apps, base, urls, paths };
}

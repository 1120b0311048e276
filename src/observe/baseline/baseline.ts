import { message } from '../../core/text/message.ts';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type {
  AppFacts,
  DocumentContent,
  Baseline,
  PublishedVersion,
  Snapshot,
  Missing,
} from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { isVerified } from '../../core/attestation/observed.ts';
import { type JsonObject, type JsonValue, parseDocument } from '../../core/json/json.ts';
import { faultText, syntaxFaultOf } from '../../core/json/input-file.ts';
import {
  listedVersions,
  manifestApps,
  manifestAppsIn,
  metadataUrlOf,
  versionFields,
} from '../../core/registry/manifest.ts';
import { baselineInLock, isLockFile, lockFileIn } from '../../core/registry/lock-file.ts';
import { AppregError } from '../../core/errors.ts';
import { contentOf } from '../workspace/document-content.ts';
import { gitTree } from '../workspace/git.ts';
import { asBase, inferBase, localPath, type Workspace } from '../workspace/places.ts';
import { manifestIn } from '../workspace/target.ts';
import { folderTree, type Tree } from '../workspace/documents.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import { localPathOf } from './local-path.ts';
import { type SavedDocuments, savedDocuments } from './saved-facts.ts';

/** The published baseline: a folder, a file, saved facts, or a git ref. */

/**
 * The baseline that `--against` names, for a workspace. Throws AppregError if it does not exist or cannot be read; the
 * error says so for a shallow clone.
 * @param where an existing folder or file, or a git ref
 * @param cwd the folder that relative paths are resolved against
 */
export function baselineOf(where: string, workspace: Workspace, cwd: string): Baseline {
  const local = localPathOf(where, cwd);
  if (local === null) return fromTree(gitTree(where, workspace.root), workspace.manifest, workspace.baseUrl);
  const { path } = local;
  if (local.isFolder) {
    const manifest = existsSync(join(path, workspace.manifest)) ? workspace.manifest : manifestIn(path);
    if (manifest === null)
      throw new AppregError(
        'baseline-unusable',
        message`No registry manifest in ${where}, so nothing can be compared.`,
        message`Give the folder that contains the manifest.`,
      );
    return fromTree(folderTree(path, where), manifest, workspace.baseUrl);
  }
  const content = jsonIn(path);
  const { value } = parseDocument(content);
  const saved = savedDocuments(content, where);
  if (saved !== null) return baselineFromSnapshot(saved, where);
  if (isLockFile(value)) return baselineInLock(lockFileIn(content, where), where);
  if (manifestApps(value) === null)
    throw new AppregError(
      'baseline-unusable',
      message`${where} is neither a registry manifest nor saved facts.`,
      message`Use a folder, a git ref, a manifest, or a file written by appreg verify --save.`,
    );
  return fromTree(folderTree(dirname(path), where), basename(path), workspace.baseUrl);
}

/** The versions that a metadata file listed in the baseline, by its path below the workspace; null if missing. */
export function baselineVersionsOf(
  where: string,
  workspace: Workspace,
  metadata: string,
  cwd: string,
): PublishedVersion[] | null {
  const local = localPathOf(where, cwd);
  if (local?.isFolder === false) {
    const versions = publishedVersionsIn(parseDocument(jsonIn(local.path)).value);
    if (versions !== null) return versions;
    throw new AppregError(
      'baseline-unusable',
      message`${where} is not a metadata file, so nothing can be compared.`,
      message`Use an earlier state of the metadata file, a folder, or a git ref.`,
    );
  }
  const tree = local ? folderTree(local.path, where) : gitTree(where, workspace.root);
  tree.fetch([metadata]);
  const content = tree.read(metadata);
  return content && publishedVersionsIn(parseDocument(content).value);
}

/** A lock file of versions as a baseline; null if the file is not one. */
export function baselineFromLock(path: string, where: string): Baseline | null {
  if (!existsSync(path) || !statSync(path).isFile()) return null;
  const content = contentOf(readFileSync(path));
  return isLockFile(parseDocument(content).value) ? baselineInLock(lockFileIn(content, where), where) : null;
}

/** The content of a file in JSON. @throws AppregError `baseline-unusable` */
function jsonIn(path: string): DocumentContent {
  const read = readRegularFile(path);
  if ('failure' in read)
    throw new AppregError(
      'baseline-unusable',
      message`${path} ${read.failure}.`,
      message`Use a folder, a git ref, a manifest, or a file written by appreg verify --save.`,
    );
  const content = contentOf(read.bytes);
  const fault = syntaxFaultOf(content);
  if (fault !== null)
    throw new AppregError(
      'baseline-unusable',
      faultText(path, [fault]),
      message`Use a folder, a git ref, a manifest, or a file written by appreg verify --save.`,
    );
  return content;
}

function fromTree(tree: Tree, manifestName: string, baseUrl: string | null): Baseline {
  const listing = listingOf(tree, manifestName, baseUrl);
  // Either a registry's first publication, or the manifest had another name: they cannot be distinguished.
  if (listing === null)
    return {
      source: tree.source,
      keys: [],
      app: () => ({ missing: { code: 'baseline-without-manifest', manifest: manifestName, source: tree.source } }),
    };
  const { apps, paths } = listing;
  return {
    source: tree.source,
    keys: Object.keys(apps),
    app(key): PublishedVersion[] | null | Missing {
      if (!Object.hasOwn(apps, key)) return null;
      const path = paths.get(key);
      const content = path === undefined ? null : tree.read(path);
      if (!content) return withoutMetadata('absent', tree.source);
      return publishedVersionsIn(parseDocument(content).value) ?? withoutMetadata('unreadable', tree.source);
    },
  };
}

/** The apps of a tree's manifest, its base URL, and the paths of their metadata files; null without a manifest. */
export function listingOf(
  tree: Tree,
  manifestName: string,
  baseUrl: string | null,
): { manifest: DocumentContent; apps: JsonObject; base: string | null; paths: Map<string, string> } | null {
  tree.fetch([manifestName]);
  const manifest = tree.read(manifestName);
  if (manifest === null) return null;
  const apps = manifestAppsIn(manifest);
  if (apps === null)
    throw new AppregError(
      'baseline-unusable',
      message`The manifest ${manifestName} in ${tree.source} is not usable.`,
      message`Use a state in which the registry was valid.`,
    );
  const urls = new Map<string, string>();
  for (const key of Object.keys(apps)) {
    const url = metadataUrlOf(apps[key]);
    if (url !== null) urls.set(key, url);
  }
  const configured = baseUrl === null ? null : asBase(baseUrl);
  // The baseline may have had another base URL.
  const base = [...urls.values()].some((url) => localPath(url, configured) !== null)
    ? configured
    : inferBase(urls.values(), (path) => (tree.fetch([path]), tree.read(path) !== null));
  const paths = new Map<string, string>();
  for (const [key, url] of urls) {
    const path = localPath(url, base);
    if (path !== null) paths.set(key, path);
  }
  tree.fetch([...paths.values()]);
  return { manifest, apps, base, paths };
}

/** Saved facts as a baseline. */
export function baselineFromSnapshot(saved: SavedDocuments | Snapshot, source: string): Baseline {
  const apps = new Map(saved.apps.map((app) => [app.key, app]));
  const listed = manifestAppsIn(saved.manifest.content) ?? {};
  return {
    source,
    keys: Object.keys(listed),
    app(key) {
      const metadata = apps.get(key)?.metadata.content;
      // A run with --app or --shard, or one that was interrupted, did not observe everything listed.
      if (metadata === undefined && !Object.hasOwn(listed, key)) return null;
      if (metadata === undefined || isMissing(metadata)) return withoutMetadata('not-observed', source);
      const { value } = parseDocument(metadata);
      return publishedVersionsIn(value, attestedIn(apps.get(key))) ?? withoutMetadata('unreadable', source);
    },
  };
}

/** The indexes of the versions whose artifacts had an attestation. */
function attestedIn(app: SavedDocuments['apps'][number] | AppFacts | undefined): ReadonlySet<number> {
  const artifacts = app !== undefined && 'artifacts' in app ? app.artifacts : [];
  return new Set(artifacts.flatMap(({ attestation }, index) => (isVerified(attestation) ? [index] : [])));
}

function withoutMetadata(state: 'absent' | 'unreadable' | 'not-observed', source: string): Missing {
  return { missing: { code: 'baseline-without-metadata', state, source } };
}

/**
 * The complete entries of a metadata file; null if it is not one. An incomplete entry was never published.
 * @param attested the indexes of those that are known to have an attestation
 */
export function publishedVersionsIn(
  value: JsonValue | undefined,
  attested: ReadonlySet<number> = new Set(),
): PublishedVersion[] | null {
  const versions = listedVersions(value);
  if (versions === null) return null;
  const found: PublishedVersion[] = [];
  for (const [index, entry] of versions.entries()) {
    const { version, artifactUrl, artifactChecksum } = versionFields(entry);
    if (version !== null && artifactUrl !== null && artifactChecksum !== null)
      found.push({ version, artifactUrl, artifactChecksum, ...(attested.has(index) && { isAttested: true }) });
  }
  return found;
}

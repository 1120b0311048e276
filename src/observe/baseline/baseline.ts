import { basename, dirname, join } from 'node:path';
import { documentAt, listingOf } from '../workspace/tree.ts';
import { message } from '../../core/text/message.ts';
import {
  type AppFacts,
  type Baseline,
  type PublishedVersion,
  type Snapshot,
  type StoredSince,
  type Missing,
  isMissing,
} from '../../core/facts/facts.ts';
import type { DocumentContent } from '../../core/json/content.ts';
import type { BaselineMetadataState } from '../../core/facts/missing.ts';
import { isVerified } from '../../core/attestation/observed.ts';
import { type JsonValue, parseDocument } from '../../core/json/json.ts';
import { faultText, syntaxFaultOf } from '../../core/json/input-file.ts';
import {
  listedVersions,
  manifestApps,
  manifestAppsIn,
  metadataUrlOf,
  versionFields,
} from '../../core/registry/manifest.ts';
import { baselineInLock, isLockFile, lockFileIn } from '../../core/registry/lock-file.ts';
import { AppregError } from '../../core/errors/error.ts';
import { contentOf } from '../content/document-content.ts';
import { gitTree } from '../workspace/git.ts';
import type { NamesIn } from '../workspace/git-history.ts';
import { asBase, localPath, type Workspace } from '../workspace/places.ts';
import { manifestIn } from '../workspace/target.ts';
import { folderTree, readDocumentFile, type Tree } from '../workspace/documents.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import { type BaseRegistry, type ComparedWorkspace, findBaseRegistry, folderRegistry } from './base-registry.ts';
import { type LocalPath, localPathOf } from './local-path.ts';
import { type SavedDocuments, savedDocuments } from './saved-facts.ts';

/** The published baseline: a folder, a file, saved facts, or a git ref. */

/**
 * The baseline that `--against` names, for a workspace. Throws AppregError if it does not exist or cannot be read; the
 * error says so for a shallow clone.
 * @param where an existing folder or file, or a git ref
 * @param cwd the folder that relative paths are resolved against
 */
export function baselineOf(where: string, workspace: ComparedWorkspace, cwd: string): Baseline {
  const local = localPathOf(where, cwd, workspace.root);
  return local?.isFolder === false
    ? baselineInFile(local.path, where, workspace)
    : registryBaseline(findBaseRegistry(where, workspace, cwd));
}

/** The baseline in a file: saved facts, a lock file or a manifest. @throws AppregError for another file */
export function baselineInFile(path: string, where: string, workspace: Workspace): Baseline {
  const content = jsonIn(path);
  const saved = savedDocuments(content, where);
  if (saved !== null) return baselineFromSnapshot(saved, where);
  if (isLockFile(parseDocument(content).value)) return baselineInLock(lockFileIn(content, where), where);
  const registry = manifestRegistry(path, where, workspace);
  if (registry !== null) return registryBaseline(registry);
  throw new AppregError(
    'baseline-unusable',
    message`${where} is neither a registry manifest nor saved facts.`,
    message`Use a folder, a git ref, a manifest, or a file written by appreg verify --save.`,
  );
}

/** The registry of a manifest that is named as a file; null for a file of another kind. @throws AppregError as above */
export function manifestRegistry(path: string, where: string, { baseUrl }: Workspace): BaseRegistry | null {
  const { value } = parseDocument(jsonIn(path));
  if (isLockFile(value) || manifestApps(value) === null) return null;
  return folderRegistry(folderTree(dirname(path), where), dirname(path), {
    manifest: basename(path),
    baseUrls: baseUrl === null ? [] : [baseUrl],
  });
}

/** Since when an app, or a version of it, is stored; null if that is not known. @param version null for the app itself */
export type SinceReader = (key: string, version: string | null) => StoredSince | null;

/** Reads since when the apps and versions of a registry are stored, each file once. */
export function sinceReader({ tree, manifest, baseUrls, since }: BaseRegistry): SinceReader {
  let paths: ReadonlyMap<string, string> | null = null;
  const known = new Map<string, ReadonlyMap<string, StoredSince>>();
  const namesOf = (path: string, namesIn: NamesIn): ReadonlyMap<string, StoredSince> => {
    const found = known.get(path) ?? since(path, namesIn);
    known.set(path, found);
    return found;
  };
  return (key, version) => {
    if (version === null) return namesOf(manifest, keysIn).get(key) ?? null;
    if (paths === null) {
      const listing = listingOf(tree, manifest, baseUrls);
      paths = isMissing(listing) ? new Map() : listing.paths;
    }
    const path = paths.get(key);
    return path === undefined ? null : (namesOf(path, versionsIn).get(version) ?? null);
  };
}

function keysIn(content: DocumentContent): ReadonlySet<string> {
  return new Set(Object.keys(manifestAppsIn(content) ?? {}));
}

function versionsIn(content: DocumentContent): ReadonlySet<string> {
  const versions = publishedVersionsIn(parseDocument(content).value) ?? [];
  return new Set(versions.map(({ version }) => version));
}

/** A registry that was found in a folder or at a git ref, as a baseline. */
export function registryBaseline({ tree, manifest, baseUrls }: BaseRegistry): Baseline {
  return fromTree(tree, manifest, baseUrls);
}

/** A baseline without a registry: its first publication. */
function withoutRegistry(source: string, absent: Missing): Baseline {
  return { source, keys: [], app: () => absent, absent };
}

/**
 * The versions that a metadata file listed in the baseline; null if it was not in it. Its app is looked up in both
 * manifests, since the file may have had another path.
 * @param metadata its path below the workspace
 */
export function baselineVersionsOf(
  where: string,
  workspace: ComparedWorkspace,
  metadata: string,
  cwd: string,
): PublishedVersion[] | Missing | null {
  const local = localPathOf(where, cwd, workspace.root);
  if (local?.isFolder === false) {
    const versions = publishedVersionsIn(parseDocument(jsonIn(local.path)).value);
    if (versions !== null) return versions;
    throw new AppregError(
      'baseline-unusable',
      message`${where} is not a metadata file, so nothing can be compared.`,
      message`Use an earlier state of the metadata file, a folder, or a git ref.`,
    );
  }
  const { tree, registry } = filesAround(where, workspace, cwd, local);
  const key = appOfFile(workspace, metadata);
  const listed = registry === null || key === null ? null : registryBaseline(registry).app(key);
  if (listed !== null && !(isMissing(listed) && listed.missing.code !== 'baseline-without-metadata')) return listed;
  tree.fetch([metadata]);
  const found = versionsAt(tree, metadata);
  return isMissing(found) && isAbsent(found) ? null : found;
}

/** The files of a baseline, and its registry; a single metadata file needs none. */
function filesAround(
  where: string,
  workspace: ComparedWorkspace,
  cwd: string,
  local: LocalPath | null,
): { tree: Tree; registry: BaseRegistry | null } {
  if (local === null)
    return { tree: gitTree(where, workspace.root), registry: findBaseRegistry(where, workspace, cwd) };
  const tree = folderTree(local.path, where);
  return { tree, registry: manifestIn(local.path) === null ? null : findBaseRegistry(where, workspace, cwd) };
}

/** The app that the manifest of a workspace lists with a metadata file; null if it lists none. */
export function appOfFile({ root, manifest, baseUrl }: Workspace, metadata: string): string | null {
  const content = readDocumentFile(join(root, manifest));
  const apps = typeof content === 'string' ? null : manifestAppsIn(content);
  const base = baseUrl === null ? null : asBase(baseUrl);
  const isOfApp = (entry: JsonValue | undefined): boolean => {
    const url = metadataUrlOf(entry);
    return url !== null && localPath(url, base) === metadata;
  };
  return Object.keys(apps ?? {}).find((key) => isOfApp(apps?.[key])) ?? null;
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

function fromTree(tree: Tree, manifestName: string, baseUrls: readonly string[]): Baseline {
  const listing = listingOf(tree, manifestName, baseUrls);
  if (isMissing(listing)) return withoutRegistry(tree.source, listing);
  const { apps, paths, urls } = listing;
  return {
    source: tree.source,
    keys: Object.keys(apps),
    metadataUrl: (key) => urls.get(key) ?? null,
    app(key): PublishedVersion[] | null | Missing {
      if (!Object.hasOwn(apps, key)) return null;
      const path = paths.get(key);
      return path === undefined ? withoutMetadata('elsewhere', tree.source) : versionsAt(tree, path);
    },
  };
}

/** The versions in a metadata file of a tree, in its newest state that can be used. */
function versionsAt(tree: Tree, path: string): PublishedVersion[] | Missing {
  const found = documentAt(tree, path, (content) => publishedVersionsIn(parseDocument(content).value) !== null);
  if (typeof found === 'string') return withoutMetadata(found, tree.source);
  return publishedVersionsIn(parseDocument(found).value) ?? withoutMetadata('unreadable', tree.source);
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
      if (metadata === undefined) return withoutMetadata('not-observed', source);
      // For a folder or a git ref the reason why a file is missing is known.
      if (isMissing(metadata))
        return metadata.missing.code === 'baseline-without-metadata'
          ? metadata
          : withoutMetadata('not-observed', source);
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

function withoutMetadata(state: BaselineMetadataState, source: string): Missing {
  return { missing: { code: 'baseline-without-metadata', state, source } };
}

function isAbsent({ missing }: Missing): boolean {
  return missing.code === 'baseline-without-metadata' && missing.state === 'absent';
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

import { createHash } from 'node:crypto';
import { message } from '../../core/text/message.ts';
import { aboutPath, aboutUrl } from '../../core/registry/companion.ts';
import {
  type AppFacts,
  type ArtifactFacts,
  type Content,
  type DocumentFacts,
  type IconFacts,
  isMissing,
  type Missing,
  type Snapshot,
} from '../../core/facts/facts.ts';
import { type DocumentContent } from '../../core/json/content.ts';
import { documentContent } from '../../core/json/json.ts';
import { AppregError } from '../../core/errors/error.ts';
import { documentAt, listingOf } from './tree.ts';
import { bytesOf } from '../content/document-content.ts';
import type { Tree } from './documents.ts';
import { lfsOid } from './lfs-pointer.ts';
import { localPath } from './places.ts';
import type { JsonObject } from '../../core/json/values.ts';
import { artifactUrlOf, iconUrlOf, listedVersionsIn, metadataUrlOf } from '../../core/registry/manifest.ts';

const DOCUMENTS_ONLY: Missing = { missing: { code: 'documents-only' }, runWide: true, intentional: true };

/** The documents of a registry, which are read when its apps are iterated. */
export interface RegistryDocuments {
  manifest: DocumentFacts;
  /** The entries of the manifest, by key. */
  entries: JsonObject;
  /** In the order of the manifest. */
  apps: Iterable<AppFacts>;
}

/** Parts of a tree that are read besides the manifest and the metadata files. */
export interface TreeContents {
  about?: boolean;
  /** The digests of icons, which are not inspected. */
  icons?: boolean;
  /** Receives why there is no registry, which is then a state without apps. Default: it is an error. */
  onAbsent?(reason: Missing): void;
}

const NO_APPS = documentContent(Buffer.from('{"apps":{}}'));

/**
 * The documents of a registry at a git ref or in a folder, as a snapshot; artifacts are not observed.
 * @throws AppregError `baseline-unusable` without a usable manifest
 */
export function snapshotOfTree(
  tree: Tree,
  manifestName: string,
  baseUrls: readonly string[],
  seenAt: string,
  contents: TreeContents = {},
): Snapshot {
  const { manifest, apps } = documentsOfTree(tree, manifestName, baseUrls, contents);
  return { snapshot: 1, target: tree.source, seenAt, origins: [], manifest, apps: [...apps], orphans: [] };
}

/**
 * The same without holding all of them.
 * @throws AppregError `baseline-unusable` without a usable manifest
 */
export function documentsOfTree(
  tree: Tree,
  manifestName: string,
  baseUrls: readonly string[],
  { about: withAbout = false, icons: withIcons = false, onAbsent }: TreeContents = {},
): RegistryDocuments {
  const listing = listingOf(tree, manifestName, baseUrls);
  if (isMissing(listing)) {
    if (onAbsent === undefined)
      throw new AppregError(
        'baseline-unusable',
        message`${manifestName} does not exist in ${tree.source}.`,
        message`Use a state that contains the manifest.`,
      );
    onAbsent(listing);
    return { manifest: { url: null, file: null, web: DOCUMENTS_ONLY, content: NO_APPS }, entries: {}, apps: [] };
  }
  const { manifest, apps, base, paths } = listing;
  if (withAbout) tree.fetch([...paths.values()].map(aboutPath));
  const iconPaths = withIcons ? iconPathsIn(apps, base) : new Map<string, string>();
  tree.fetch([...iconPaths.values()]);
  const factsOf = (key: string): AppFacts => {
    const url = metadataUrlOf(apps[key]);
    const path = paths.get(key);
    const content = path === undefined ? notInSource(tree) : metadataIn(tree, path);
    const metadata: DocumentFacts = { url, file: path ?? null, web: DOCUMENTS_ONLY, content };
    const artifacts = (listedVersionsIn(content) ?? []).map((item): ArtifactFacts => ({
      url: artifactUrlOf(item),
      file: null,
      web: DOCUMENTS_ONLY,
      content: DOCUMENTS_ONLY,
      archive: DOCUMENTS_ONLY,
    }));
    return {
      key,
      metadata,
      icon: iconFacts(tree, iconPaths.get(key) ?? null),
      artifacts,
      ...(withAbout && aboutFacts(tree, url, path)),
    };
  };
  function* all(): Iterable<AppFacts> {
    for (const key of Object.keys(apps)) yield factsOf(key);
  }
  return {
    manifest: { url: null, file: manifestName, web: DOCUMENTS_ONLY, content: manifest },
    entries: apps,
    apps: { [Symbol.iterator]: () => all()[Symbol.iterator]() },
  };
}

/** A metadata file in its newest valid state; one that was never valid as it is. */
function metadataIn(tree: Tree, path: string): DocumentContent | Missing {
  const found = documentAt(tree, path, (content) => listedVersionsIn(content) !== null);
  if (typeof found !== 'string') return found;
  if (found === 'absent') return notInSource(tree);
  const stored = found === 'unreadable' ? tree.read(path) : null;
  return stored ?? { missing: { code: 'baseline-without-metadata', state: found, source: tree.source } };
}

function notInSource({ source }: Tree): Missing {
  return { missing: { code: 'not-in-source', source } };
}

/** The documents and the icon of an app, and the attestations of its artifacts: without the responses of hosts. */
export function documentsIn({ key, metadata, icon, artifacts, about }: AppFacts): AppFacts {
  return {
    key,
    metadata: { ...metadata, web: DOCUMENTS_ONLY },
    icon: { url: icon.url, file: icon.file, web: DOCUMENTS_ONLY, content: icon.content, image: DOCUMENTS_ONLY },
    artifacts,
    ...(about !== undefined && { about: { ...about, web: DOCUMENTS_ONLY } }),
  };
}

/** The paths of the icons that are in a tree, by the keys of their apps. */
function iconPathsIn(apps: JsonObject, base: string | null): Map<string, string> {
  const paths = new Map<string, string>();
  for (const [key, entry] of Object.entries(apps)) {
    const url = iconUrlOf(entry);
    const path = url === null ? null : localPath(url, base);
    if (path !== null) paths.set(key, path);
  }
  return paths;
}

function iconFacts(tree: Tree, path: string | null): IconFacts {
  const found = path === null ? null : tree.read(path);
  const sha256 = found === null ? null : iconDigest(found);
  const unknown = path !== null && found === null ? notInSource(tree) : DOCUMENTS_ONLY;
  const content: Content | Missing =
    found === null || sha256 === null
      ? unknown
      : { bytes: found.bytes, sha256, sha1: '', md5: '', head: '', cut: false, decoded: null };
  return { url: null, file: path, web: DOCUMENTS_ONLY, content, image: DOCUMENTS_ONLY };
}

/** Null for text on Windows: git converts its line feeds when it is checked out, so the bytes of the files differ. */
function iconDigest(content: DocumentContent): string | null {
  const { text } = content;
  const oid = lfsOid(content);
  if (oid !== null) return oid;
  if (process.platform === 'win32' && text?.includes('\n') === true) return null;
  return createHash('sha256').update(bytesOf(content)).digest('hex');
}

function aboutFacts(tree: Tree, metadataUrl: string | null, metadata: string | undefined): Pick<AppFacts, 'about'> {
  const path = metadata === undefined ? null : aboutPath(metadata);
  const content = path === null ? null : tree.read(path);
  if (content === null) return {};
  const url = metadataUrl === null ? null : aboutUrl(metadataUrl);
  return { about: { url, file: path, web: DOCUMENTS_ONLY, content } };
}

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AppFacts, ArtifactFacts, DocumentFacts, IconFacts, Resource, Missing } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { parseDocument, canonicalVersions } from '../../core/json/json.ts';
import { artifactUrlOf, listedVersions } from '../../core/registry/metadata.ts';
import { iconUrlOf, manifestAppsIn, metadataUrlOf } from '../../core/registry/manifest.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import { readArchiveFile } from '../archive/read-archive.ts';
import { withoutSecretsInHead } from '../content/redact-head.ts';
import { createDigester } from '../digest/digest.ts';
import { readDocumentFile } from './documents.ts';
import { releaseText } from './large-document.ts';
import { inspectImage } from '../icon/inspect-image.ts';
import { asBase, localPath, staysInside, type Workspace } from './places.ts';
import { openOtherNames, type OtherNames } from './other-names.ts';
import { findOrphans } from './orphans.ts';
import { openPrefetch } from './prefetch.ts';
import { type WalkResult, UNWALKED, walk } from './walk.ts';
import { blockedBy } from '../../core/facts/missing.ts';

/** Observes a workspace: reads its documents, hashes and lists its artifacts, inspects its icons. */

const OFFLINE: Missing = { missing: { code: 'offline' }, runWide: true };
const ELSEWHERE: Missing = { missing: { code: 'not-in-workspace' } };
const OTHER_NAME: Missing = blockedBy('file-name-differs');
const NO_URL: Missing = blockedBy('schema-violation');
/** Bytes of a manifest from which a worker thread reads ahead; for smaller ones it does not pay off. */
const PREFETCH_FROM_BYTES = 1_000_000;
const PLAIN_NAME = /^\w[\w.-]*$/;
const ICON_LIMIT = 16 * 1024 * 1024;

/** Receives the facts in portions; `Judging` of core is one. */
export interface WorkspaceFactsSink {
  manifest(manifest: DocumentFacts): void;
  app(facts: AppFacts): void;
  orphans(files: readonly string[]): void;
}

export interface ObserveWorkspaceOptions {
  /** The name of a path below the root, as shown to the user. */
  nameOf(path: string): string;
  onApp?(done: number, all: number): void;
}

/** Observes the whole workspace. Throws AppregError for a file that may not be read. */
export async function observeWorkspace(
  workspace: Workspace,
  sink: WorkspaceFactsSink,
  options: ObserveWorkspaceOptions,
): Promise<void> {
  const base = workspace.baseUrl === null ? null : asBase(workspace.baseUrl);
  const { root } = workspace;
  const context: WorkspaceContext = {
    root,
    base,
    links: true,
    tree: null,
    outsideFolder: '',
    names: openOtherNames(root),
    nameOf: options.nameOf,
  };
  const ahead =
    base !== null && sizeOf(join(root, workspace.manifest)) > PREFETCH_FROM_BYTES ? openPrefetch(root) : null;
  try {
    const manifest = observeDocumentFile(context, null, workspace.manifest);
    const apps = manifestAppsIn(manifest.content);
    if (!isMissing(manifest.content)) releaseText(manifest.content);
    const listed = Object.entries(apps ?? {}).map(([key, entry]) => {
      const url = metadataUrlOf(entry);
      return { key, entry, url, path: url === null ? null : localPath(url, base) };
    });
    const opening = ahead?.want(listed.map(({ path }) => path ?? ''));
    sink.manifest(manifest);
    const tree = (await opening) ?? walk(root);
    context.links = tree.links;
    context.tree = tree.links ? null : tree;
    context.names.use(tree);
    const used = new Set([workspace.manifest, ...listed.map(({ path }) => path)]);
    for (const [index, { key, entry, url, path }] of listed.entries()) {
      if (ahead !== null && !ahead.isReady()) await ahead.ready();
      const content = ahead?.next() ?? null;
      const metadata: DocumentFacts =
        content === null || path === null
          ? observeDocumentFile(context, url, path)
          : { url, file: context.nameOf(path), web: OFFLINE, content };
      const icon = await observeIconFile(context, iconUrlOf(entry));
      if (metadata.otherName) used.add(metadata.otherName.listed);
      const artifacts = listArtifacts(context, metadata);
      for (const found of artifacts.present) artifacts.all[found.index] = await observeArtifactFile(context, found);
      sink.app({ key, metadata, icon, artifacts: artifacts.all });
      options.onApp?.(index + 1, listed.length);
    }
    // A manifest that cannot be read, or lacks a URL, has its own finding: missing references are not a second one.
    const isComplete = apps !== null && listed.every(({ url }) => url !== null);
    const orphans = isComplete ? findOrphans(root, tree.files, used) : [];
    sink.orphans(orphans.map((path) => context.nameOf(path)).sort());
  } finally {
    await ahead?.close();
  }
}

/** Observes a single metadata file, with the artifacts in the workspace around it, if there is one. */
export async function observeMetadataFile(
  workspace: Workspace,
  path: string,
  nameOf: ObserveWorkspaceOptions['nameOf'],
): Promise<{ metadata: DocumentFacts; artifacts: ArtifactFacts[] }> {
  const base = workspace.baseUrl === null ? null : asBase(workspace.baseUrl);
  const context: WorkspaceContext = {
    root: workspace.root,
    base,
    links: true,
    tree: null,
    outsideFolder: '',
    names: openOtherNames(workspace.root),
    nameOf,
  };
  const metadata = observeDocumentFile(context, null, path);
  const artifacts = listArtifacts(context, metadata);
  for (const found of artifacts.present) artifacts.all[found.index] = await observeArtifactFile(context, found);
  return { metadata, artifacts: artifacts.all };
}

interface WorkspaceContext {
  root: string;
  base: string | null;
  /** Whether there are any symbolic links; without any, paths need not be resolved. */
  links: boolean;
  /** All files, if `walk` could list them; checking the disk for a missing file is expensive. */
  tree: WalkResult | null;
  /** The last folder, as a URL, that is not in the workspace: an app's artifacts are mostly in one. */
  outsideFolder: string;
  names: OtherNames;
  nameOf(path: string): string;
}

/** Bytes of a file; 0 if there is none. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** True for a link out of the workspace. Paths are resolved if there are any links, or if `walk` did not run. */
function leadsOut(context: WorkspaceContext, path: string): boolean {
  return (context.links || UNWALKED.test(path)) && !staysInside(context.root, path);
}

function observeDocumentFile(context: WorkspaceContext, url: string | null, path: string | null): DocumentFacts {
  if (path === null) return { url, file: null, web: OFFLINE, content: url === null ? NO_URL : ELSEWHERE };
  const otherName = otherNameOf(context, path);
  if (otherName) return { url, file: context.nameOf(otherName.listed), web: OFFLINE, content: OTHER_NAME, otherName };
  const file = context.nameOf(path);
  const found = leadsOut(context, path) ? 'outside' : readDocumentFile(join(context.root, path));
  if (typeof found === 'string') return { url, file, web: OFFLINE, content: blockedBy('file-missing'), local: found };
  return { url, file, web: OFFLINE, content: found };
}

/** Set if the folders list the file under another name than the URL's, and not under that one. */
function otherNameOf({ names }: WorkspaceContext, path: string): Resource['otherName'] {
  const listed = names.listedAs(path);
  return listed === null ? undefined : { path, listed };
}

/** The local file of an artifact or icon, or why there is none; `isCanonical` of a URL that needs no normalisation. */
function localFile(context: WorkspaceContext, url: string | null, isCanonical = false): string | Missing {
  if (url === null) return NO_URL;
  const { outsideFolder: away } = context;
  if (away !== '' && url.startsWith(away) && !url.includes('/', away.length))
    if (isCanonical || PLAIN_NAME.test(url.slice(away.length))) return ELSEWHERE;
  const path = localPath(url, context.base);
  if (path === null) return ELSEWHERE;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  if (context.tree && !context.tree.folders.has(folder) && !UNWALKED.test(path)) {
    if (context.names.hasFolder(folder)) return path;
    if (url.endsWith(path)) context.outsideFolder = url.slice(0, url.lastIndexOf('/') + 1);
    return ELSEWHERE;
  }
  return leadsOut(context, path) ? { missing: { code: 'outside-workspace' } } : path;
}

/** An artifact that should be in the workspace. */
interface ExpectedArtifact {
  index: number;
  url: string;
  path: string;
}

/** One entry per version; those in `present` are to be observed. */
function listArtifacts(
  context: WorkspaceContext,
  { content }: DocumentFacts,
): { all: ArtifactFacts[]; present: ExpectedArtifact[] } {
  const all: ArtifactFacts[] = [];
  const present: ExpectedArtifact[] = [];
  if (isMissing(content)) return { all, present };
  const canonical = canonicalVersions(content);
  const urls =
    canonical?.map(({ artifactUrl }) => artifactUrl) ??
    listedVersions(parseDocument(content).value)?.map((item) => artifactUrlOf(item)) ??
    [];
  for (const [index, url] of urls.entries()) {
    const path = localFile(context, url, canonical !== null);
    if (url !== null && typeof path === 'string') present.push({ index, url, path });
    const reason = typeof path === 'string' ? ELSEWHERE : path;
    all.push({ url, file: null, web: OFFLINE, content: reason, archive: reason });
  }
  return { all, present };
}

async function observeArtifactFile(context: WorkspaceContext, { url, path }: ExpectedArtifact): Promise<ArtifactFacts> {
  const otherName = otherNameOf(context, path);
  if (otherName) return { url, file: null, web: OFFLINE, content: OTHER_NAME, archive: OTHER_NAME, otherName };
  try {
    const { content, archive } = await readArchiveFile(join(context.root, path), { scan: { folders: [context.root] } });
    return { url, file: context.nameOf(path), web: OFFLINE, content, archive };
  } catch (error) {
    if (!isAbsence(error)) throw error;
    return { url, file: null, web: OFFLINE, content: ELSEWHERE, archive: ELSEWHERE };
  }
}

async function observeIconFile(context: WorkspaceContext, url: string | null): Promise<IconFacts> {
  const path = localFile(context, url);
  if (typeof path !== 'string') return { url, file: null, web: OFFLINE, content: path, image: path };
  const otherName = otherNameOf(context, path);
  if (otherName) return { url, file: null, web: OFFLINE, content: OTHER_NAME, image: OTHER_NAME, otherName };
  const exists =
    context.tree && !UNWALKED.test(path) ? context.tree.files.has(path) : existsSync(join(context.root, path));
  if (!exists) return { url, file: null, web: OFFLINE, content: ELSEWHERE, image: ELSEWHERE };
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(join(context.root, path));
  } catch (error) {
    if (!isAbsence(error)) throw error;
    return { url, file: null, web: OFFLINE, content: ELSEWHERE, image: ELSEWHERE };
  }
  const digester = createDigester(ICON_LIMIT, { weak: false });
  digester.write(bytes);
  const content = await withoutSecretsInHead(digester.end(), digester.start);
  return { url, file: context.nameOf(path), web: OFFLINE, content, image: inspectImage(bytes) };
}

function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ELOOP'].includes(systemErrorCode(error) ?? '');
}

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type AppFacts, type ArtifactFacts, type DocumentFacts, isMissing } from '../../core/facts/facts.ts';
import { aboutPath, aboutUrl, companionKindOf, isAboutPath } from '../../core/registry/companion.ts';
import { iconUrlOf, listedVersionsIn, manifestAppsIn, metadataUrlOf } from '../../core/registry/manifest.ts';
import { artifactFolder, foldName } from '../../core/registry/file-names.ts';
import { type ArtifactListing, listArtifacts, observeArtifacts, openIcons } from './app-files.ts';
import { readDocumentFile, releaseText } from './documents.ts';
import { NOT_CHECKED_OUT, NOT_FETCHED, openCheckout } from './checkout.ts';
import { lfsOid } from './lfs-pointer.ts';
import { openOtherNames } from './other-names.ts';
import { walk } from './walk.ts';
import { asBase, openPlaces, type Workspace } from './places.ts';
import {
  ELSEWHERE,
  leadsOut,
  type LocalAttestations,
  NO_URL,
  NOT_THERE,
  OFFLINE,
  OTHER_NAME,
  otherNameOf,
  type WorkspaceContext,
} from './workspace-context.ts';

/** Observes a workspace: reads its documents, hashes and lists its artifacts, inspects its icons. */

/** Receives the facts in portions; `Judging` of core is one. */
export interface WorkspaceFactsSink {
  manifest(manifest: DocumentFacts): void;
  app(facts: AppFacts): void;
  /** The files that nothing refers to: metadata files, and artifacts beside the metadata file of an app. */
  orphans(files: readonly string[], artifacts: readonly string[]): void;
}

/** Options of `observeWorkspace`. */
export interface ObserveWorkspaceOptions {
  /** The name of a path below the root, as shown to the user. */
  nameOf(path: string): string;
  onApp?(done: number, all: number): void;
  /** Verification of the attestations beside artifacts (default: none). */
  attestations?: LocalAttestations | null;
}

/** Observes the whole workspace. Throws AppregError for a file that may not be read. */
export async function observeWorkspace(
  workspace: Workspace,
  sink: WorkspaceFactsSink,
  options: ObserveWorkspaceOptions,
): Promise<void> {
  const { root, baseUrl } = workspace;
  const context: WorkspaceContext = {
    root,
    base: baseUrl === null ? null : asBase(baseUrl),
    links: true,
    tree: null,
    outsideFolder: '',
    names: openOtherNames(root),
    checkout: openCheckout(root),
    nameOf: options.nameOf,
    attestations: options.attestations ?? null,
  };
  const manifest = observeDocumentFile(context, null, workspace.manifest);
  const apps = manifestAppsIn(manifest.content);
  const urls = Object.entries(apps ?? {}).map(([key, entry]) => ({ key, entry, url: metadataUrlOf(entry) }));
  const places = openPlaces(
    workspace,
    urls.flatMap(({ url }) => url ?? []),
  );
  // The files are judged where the URLs say that they are.
  context.base = places.base;
  const listed = urls.map(({ key, entry, url }) => ({
    key,
    entry,
    url,
    path: url === null ? null : places.pathOf(url),
  }));
  sink.manifest(places.other === null ? manifest : { ...manifest, otherBase: places.other });
  if (!isMissing(manifest.content)) releaseText(manifest.content);
  const tree = walk(root);
  context.links = tree.links;
  context.tree = tree.links ? null : tree;
  context.names.use(tree);
  const icons = openIcons(
    context,
    listed.map(({ entry }) => iconUrlOf(entry)),
  );
  const abouts = new Set([...tree.files].filter(isAboutPath));
  const used = new Set([workspace.manifest, ...listed.map(({ path }) => path)]);
  const artifacts = openUnlisted();
  for (const [index, { key, entry, url, path }] of listed.entries()) {
    const metadata = observeDocumentFile(context, url, path);
    const observed = icons.observe(iconUrlOf(entry));
    const icon = observed instanceof Promise ? await observed : observed;
    if (metadata.otherName) used.add(metadata.otherName.listed);
    const listing = listArtifacts(context, metadata);
    artifacts.add(path, metadata, listing);
    const facts = listing.present.length > 0 ? await observeArtifacts(context, listing) : listing.all;
    const about = observeAboutFile(context, url, path, abouts);
    sink.app({ key, metadata, icon, artifacts: facts, ...(about !== null && { about }) });
    options.onApp?.(index + 1, listed.length);
  }
  // A manifest that cannot be read, or lacks a URL, has its own finding: missing references are not a second one.
  const isComplete = apps !== null && listed.every(({ url }) => url !== null);
  const orphans = isComplete ? findOrphans(root, tree.files, used) : [];
  const named = (paths: readonly string[]): string[] => paths.map((path) => context.nameOf(path)).sort();
  sink.orphans(named(orphans), named(artifacts.among(tree.files)));
}

/** Observes a single metadata file, with its about file, and the artifacts in the workspace around it, if there is one. */
export async function observeMetadataFile(
  workspace: Workspace,
  path: string,
  { nameOf, attestations = null }: Omit<ObserveWorkspaceOptions, 'onApp'>,
): Promise<{ metadata: DocumentFacts; artifacts: ArtifactFacts[]; about: DocumentFacts | null }> {
  const base = workspace.baseUrl === null ? null : asBase(workspace.baseUrl);
  const context: WorkspaceContext = {
    root: workspace.root,
    base,
    links: true,
    tree: null,
    outsideFolder: '',
    names: openOtherNames(workspace.root),
    checkout: openCheckout(workspace.root),
    nameOf,
    attestations,
  };
  const metadata = observeDocumentFile(context, null, path);
  const artifacts = await observeArtifacts(context, listArtifacts(context, metadata));
  const about = aboutPath(path);
  const hasAbout = statSync(join(workspace.root, about), { throwIfNoEntry: false })?.isFile() === true;
  return { metadata, artifacts, about: hasAbout ? observeDocumentFile(context, null, about) : null };
}

function observeDocumentFile(context: WorkspaceContext, url: string | null, path: string | null): DocumentFacts {
  if (path === null) return { url, file: null, web: OFFLINE, content: url === null ? NO_URL : ELSEWHERE };
  const otherName = otherNameOf(context, path);
  if (otherName) return { url, file: context.nameOf(otherName.listed), web: OFFLINE, content: OTHER_NAME, otherName };
  const file = context.nameOf(path);
  const found = leadsOut(context, path) ? 'outside' : readDocumentFile(join(context.root, path));
  const isLeftOut = found === 'missing' && context.checkout.leavesOut(path);
  // Without the manifest nothing is judged, which must not look like a registry without faults.
  if (isLeftOut && url === null) return { url, file, web: OFFLINE, content: NOT_THERE, local: 'not-checked-out' };
  if (isLeftOut) return { url, file, web: OFFLINE, content: NOT_CHECKED_OUT };
  if (typeof found === 'string') return { url, file, web: OFFLINE, content: NOT_THERE, local: found };
  if (url !== null && lfsOid(found) !== null && context.checkout.isInLfs(path))
    return { url, file, web: OFFLINE, content: NOT_FETCHED };
  return { url, file, web: OFFLINE, content: found };
}

/**
 * The about file beside a metadata file; null if there is none.
 * @param abouts the about files of the workspace
 */
function observeAboutFile(
  context: WorkspaceContext,
  url: string | null,
  path: string | null,
  abouts: ReadonlySet<string>,
): DocumentFacts | null {
  if (url === null || path === null || abouts.size === 0) return null;
  const about = aboutPath(path);
  if (!abouts.has(about)) return null;
  return observeDocumentFile(context, aboutUrl(url), about);
}

/** Collects what the apps list, to find the artifacts beside a metadata file that no version lists. */
function openUnlisted(): {
  add(path: string | null, metadata: DocumentFacts, listing: ArtifactListing): void;
  among(files: Iterable<string>): string[];
} {
  const folders = new Set<string>();
  const listed = new Set<string>();
  return {
    add(path, { content }, { present }) {
      for (const one of present) listed.add(foldName(one.path));
      // An invalid file may have listed any of them.
      if (path !== null && !isMissing(content) && listedVersionsIn(content) !== null) folders.add(artifactFolder(path));
    },
    among: (files) =>
      [...files].filter(
        (file) =>
          file.endsWith('.tar.gz') &&
          folders.has(file.slice(0, file.lastIndexOf('/') + 1)) &&
          !listed.has(foldName(file)),
      ),
  };
}

/** The unreferenced metadata files, as paths below the root: JSON below a folder that has an array `versions`. */
function findOrphans(root: string, files: Iterable<string>, used: ReadonlySet<string | null>): string[] {
  const orphans: string[] = [];
  for (const path of files) {
    if (!path.endsWith('.json') || !path.includes('/') || used.has(path) || companionKindOf(path) !== null) continue;
    if (isAboutPath(path)) continue;
    const content = readDocumentFile(join(root, path));
    if (typeof content === 'string' || content.text === null) continue;
    if (listedVersionsIn(content) !== null) orphans.push(path);
  }
  return orphans;
}

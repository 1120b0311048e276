import { join } from 'node:path';
import { companionPath } from '../../core/registry/companion.ts';
import {
  type ArtifactFacts,
  type DocumentFacts,
  isMissing,
  type Missing,
  type IconFacts,
} from '../../core/facts/facts.ts';
import { type JsonValue, member, parseDocument } from '../../core/json/json.ts';
import { artifactUrlOf, listedVersions } from '../../core/registry/manifest.ts';
import { localPath } from './places.ts';
import { NOT_FETCHED } from './checkout.ts';
import { pointerAt } from './lfs-pointer.ts';
import { isUnwalked } from './walk.ts';
import {
  absence,
  ELSEWHERE,
  localFile,
  NOT_THERE,
  OFFLINE,
  OTHER_NAME,
  otherNameOf,
  stateIn,
  type WorkspaceContext,
} from './workspace-context.ts';

/** Observes the artifacts of a workspace. */

/** An artifact that may be in the workspace: its folder is. */
interface ExpectedArtifact {
  index: number;
  url: string;
  path: string;
  /** The listed checksum, as it is. */
  checksum: JsonValue | undefined;
}

/** The artifacts of an app, one per version. */
export interface ArtifactListing {
  /** The facts without the files. */
  all: ArtifactFacts[];
  /** Those to be observed. */
  present: ExpectedArtifact[];
}

/** The artifacts that a metadata file lists; no file is read. */
export function listArtifacts(context: WorkspaceContext, { content }: DocumentFacts): ArtifactListing {
  const all: ArtifactFacts[] = [];
  const present: ExpectedArtifact[] = [];
  if (isMissing(content)) return { all, present };
  for (const item of listedVersions(parseDocument(content).value) ?? []) {
    const url = artifactUrlOf(item);
    const path = localFile(context, url);
    if (url !== null && typeof path === 'string')
      present.push({ index: all.length, url, path, checksum: member(item, 'artifactChecksum') });
    const reason = path === ELSEWHERE ? absence(context, url) : path;
    all.push(absentArtifact(url, typeof reason === 'string' ? ELSEWHERE : reason));
  }
  return { all, present };
}

/**
 * Reads the artifacts of an app. If one of them is in the workspace, those below the base URL belong there as well;
 * otherwise they may be stored elsewhere, such as in a bucket.
 * @throws AppregError `file-unreadable`
 */
export async function observeArtifacts(
  context: WorkspaceContext,
  { all, present }: ArtifactListing,
): Promise<ArtifactFacts[]> {
  const facts = [...all];
  let isAnyHere = false;
  for (const one of present) {
    const found = await observeArtifactFile(context, one);
    if (found === null) {
      facts[one.index] = absentArtifact(one.url, absence(context, one.url));
      continue;
    }
    facts[one.index] = found;
    isAnyHere = true;
  }
  return isAnyHere ? facts.map((one) => (one.content === ELSEWHERE ? notFound(context, one) : one)) : facts;
}

function absentArtifact(url: string | null, reason: Missing): ArtifactFacts {
  return { url, file: null, web: OFFLINE, content: reason, archive: reason };
}

/** An artifact that is not there, although others of its app are. */
function notFound(context: WorkspaceContext, facts: ArtifactFacts): ArtifactFacts {
  const path = localPath(facts.url ?? '', context.base);
  if (path === null) return facts;
  return { ...absentArtifact(facts.url, NOT_THERE), file: context.nameOf(path), local: 'missing' };
}

/** Null if nothing is at its path. */
async function observeArtifactFile(
  context: WorkspaceContext,
  { url, path, checksum }: ExpectedArtifact,
): Promise<ArtifactFacts | null> {
  const otherName = otherNameOf(context, path);
  if (otherName) return { ...absentArtifact(url, OTHER_NAME), otherName };
  const state = stateIn(context, path);
  if (state === 'missing') return null;
  const file = context.nameOf(path);
  if (state !== null) return { ...absentArtifact(url, NOT_THERE), file, local: state };
  // The pointer has the digest of the file: git has the listed bytes, and did not fetch them.
  const oid = pointerAt(join(context.root, path));
  if (oid !== null && checksum === `sha256:${oid}` && context.checkout.isInLfs(path))
    return { ...absentArtifact(url, NOT_FETCHED), file };
  // Loaded on demand: most workspaces have no artifacts.
  const { readArchiveFile } = await import('../archive/read-archive.ts');
  const { content, archive } = await readArchiveFile(join(context.root, path), { scan: { folders: [] } });
  return { url, file, web: OFFLINE, content, archive, ...(await attestationOf(context, path)) };
}

/** The attestation beside an artifact, as far as it is looked for. */
async function attestationOf(context: WorkspaceContext, path: string): Promise<Pick<ArtifactFacts, 'attestation'>> {
  const { attestations, tree } = context;
  if (attestations === null) return {};
  const file = companionPath(path, 'attestation');
  const exists = tree === null ? stateIn(context, file) !== 'missing' : tree.files.has(file);
  if (!exists) return attestations.reportsAbsent ? { attestation: { state: 'absent' } } : {};
  const { attestationBeside } = await import('./companions.ts');
  return { attestation: await attestationBeside(context, path, attestations) };
}

// Observes the icons of a workspace.

interface IconFile {
  url: string | null;
  path: string;
}

/** Observes icons. Most are elsewhere: for these nothing is awaited. */
interface IconObserver {
  /** @throws AppregError `file-unreadable` */
  observe(url: string | null): Promise<IconFacts> | IconFacts;
}

/**
 * @param urls of all icons that the manifest lists: if one of them is in the workspace, an icon below the base URL
 *   belongs there as well; otherwise they may be stored elsewhere
 */
export function openIcons(context: WorkspaceContext, urls: readonly (string | null)[]): IconObserver {
  let isAnyHere: boolean | null = null;

  function belongsHere(path: string | null): path is string {
    if (path === null) return false;
    isAnyHere ??= urls.some((url) => {
      const found = findIcon(context, url, localFile(context, url));
      return 'path' in found || found.otherName !== undefined;
    });
    return isAnyHere;
  }

  return {
    observe(url) {
      const expected = localFile(context, url);
      const found = findIcon(context, url, expected);
      if ('path' in found) return observeIconFile(context, found);
      if (url === null || found.otherName !== undefined) return found;
      const path = typeof expected === 'string' ? expected : localPath(url, context.base);
      const reason = absence(context, url);
      if (reason !== ELSEWHERE) return absentIcon(url, reason);
      return belongsHere(path)
        ? { ...absentIcon(url, NOT_THERE), file: context.nameOf(path), local: 'missing' }
        : found;
    },
  };
}

/**
 * The icon's file if something is at its path; otherwise its facts.
 * @param path from `localFile`
 */
function findIcon(context: WorkspaceContext, url: string | null, path: string | Missing): IconFile | IconFacts {
  if (typeof path !== 'string') return absentIcon(url, path);
  const otherName = otherNameOf(context, path);
  if (otherName) return { ...absentIcon(url, OTHER_NAME), otherName };
  return exists(context, path) ? { url, path } : absentIcon(url, ELSEWHERE);
}

function exists(context: WorkspaceContext, path: string): boolean {
  const { tree } = context;
  if (tree && !isUnwalked(path)) return tree.files.has(path) || tree.folders.has(`${path}/`);
  return stateIn(context, path) !== 'missing';
}

function absentIcon(url: string | null, reason: Missing): IconFacts {
  return { url, file: null, web: OFFLINE, content: reason, image: reason };
}

async function observeIconFile(context: WorkspaceContext, { url, path }: IconFile): Promise<IconFacts> {
  const file = context.nameOf(path);
  const state = stateIn(context, path);
  if (state !== null) return { ...absentIcon(url, NOT_THERE), file, local: state };
  if (pointerAt(join(context.root, path)) !== null && context.checkout.isInLfs(path))
    return { ...absentIcon(url, NOT_FETCHED), file };
  // Loaded on demand: it digests, looks for secrets, and has a parser of XML.
  const { readIcon } = await import('./read-icon.ts');
  return { url, file, web: OFFLINE, ...(await readIcon(join(context.root, path))) };
}

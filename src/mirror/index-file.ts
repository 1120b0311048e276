import { readFile, rm, stat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppregError } from '../core/errors/error.ts';
import { documentContent, isObject, type JsonValue, member, parseDocument } from '../core/json/json.ts';
import { message } from '../core/text/message.ts';
import { redact } from '../core/text/text.ts';
import { diskError, nullIfMissing } from '../store/directory/disk-error.ts';
import { digestOfFile } from './receive.ts';
import { asText } from './rewrite.ts';

/** The files written by this program and their stats at that time, so that a later run need not read them again. */
export const INDEX = '.appreg-mirror.json';
interface MirroredFile {
  sha256: string;
  bytes: number;
  modified: number;
  /** The entity tag that a companion file had; artifacts are known by their listed digest. */
  etag?: string;
}
export interface Index {
  source: string;
  /** The URL that the copy will be served at, which is in its documents; earlier releases did not record it. */
  base: string;
  files: Record<string, MirroredFile>;
}

/**
 * @param configured the base URL in the configuration of the folder; null if it has none
 * @throws AppregError if the folder mirrors another registry, or for another base URL
 */
export async function indexOf(
  root: string,
  { source, base, configured }: { source: string; base: string; configured: string | null },
): Promise<Index> {
  const text = await readFile(join(root, INDEX), 'utf8').catch(() => '');
  const value = text === '' ? undefined : parseDocument(documentContent(Buffer.from(text))).value;
  const mirrored = member(value, 'source');
  if (typeof mirrored === 'string' && mirrored !== redact(source))
    throw new AppregError(
      'mirror-source-differs',
      message`This folder mirrors ${mirrored}.`,
      message`Choose another folder; one folder mirrors one registry.`,
    );
  for (const known of [member(value, 'base'), configured])
    if (typeof known === 'string' && known !== base) throw otherBase(known, base);
  return { source: redact(source), base, files: filesIn(member(value, 'files')) };
}

function otherBase(known: string, base: string): AppregError {
  return new AppregError(
    'mirror-base-url-differs',
    message`This folder is a mirror for ${known}, and --base-url is ${base}. Its files would contain both URLs.`,
    message`Use the same --base-url, or mirror into another folder.`,
    { effect: 'none' },
  );
}

/** The complete entries: a file without one is read again. */
function filesIn(value: JsonValue | undefined): Index['files'] {
  const files: Index['files'] = {};
  for (const [path, entry] of isObject(value) ? Object.entries(value) : []) {
    const [sha256, bytes, modified] = ['sha256', 'bytes', 'modified'].map((name) => member(entry, name));
    if (typeof sha256 === 'string' && typeof bytes === 'number' && typeof modified === 'number')
      files[path] = { sha256, bytes, modified, ...etagIn(member(entry, 'etag')) };
  }
  return files;
}

function etagIn(value: JsonValue | undefined): Pick<MirroredFile, 'etag'> {
  return typeof value === 'string' ? { etag: value } : {};
}

export function indexText({ source, base, files }: Index): string {
  return asText({
    source,
    base,
    files: Object.fromEntries(Object.entries(files).map(([path, file]) => [path, { ...file }])),
  });
}

/** True if the file exists with this digest; a file with unchanged stats is not read. */
export async function hasFile(root: string, path: string, digest: string, index: Index): Promise<boolean> {
  const file = await stat(join(root, path)).catch(() => null);
  if (!file) return false;
  const known = Object.hasOwn(index.files, path) ? index.files[path] : undefined;
  if (known?.bytes === file.size && known.modified === file.mtimeMs) return known.sha256 === digest;
  if ((await digestOfFile(join(root, path)))?.sha256 !== digest) return false;
  await remember(root, path, digest, index);
  return true;
}

/** Records the stats of a file with this digest, and the entity tag of a companion file. */
export async function remember(
  root: string,
  path: string,
  sha256: string,
  index: Index,
  etag: string | null = null,
): Promise<void> {
  const { size, mtimeMs } = await stat(join(root, path));
  index.files[path] = { sha256, bytes: size, modified: mtimeMs, ...(etag === null ? {} : { etag }) };
}

/** Deletes a file that this program wrote. */
export async function discardFile(root: string, path: string, index: Index): Promise<void> {
  await rm(join(root, path), { force: true });
  delete index.files[path];
}

/** The configuration of a workspace, in any format. */
const CONFIG = /^appreg\.config\.\w+$/;

/**
 * Checks that a folder is missing, contains an earlier mirror, or contains no registry.
 * @param manifest the file name of the manifest in the mirror
 * @throws AppregError `not-a-folder` (exit 2), or `mirror-folder-occupied` (exit 1)
 */
export async function checkFolder(root: string, manifest: string): Promise<void> {
  const names = await namesIn(root);
  if (names === null || names.includes(INDEX)) return;
  const found = names.find((name) => name === manifest || CONFIG.test(name));
  if (found === undefined) return;
  throw new AppregError(
    'mirror-folder-occupied',
    message`${root} contains a registry that was not made by appreg mirror: ${found} exists.`,
    message`Choose an empty folder.`,
    { effect: 'none' },
  );
}

/** The files and folders in a folder; null if it does not exist. */
async function namesIn(root: string): Promise<string[] | null> {
  try {
    const stats = await nullIfMissing(stat(root));
    if (stats === null) return null;
    if (stats.isDirectory()) return await readdir(root);
  } catch (error) {
    throw diskError(error, root, null);
  }
  throw new AppregError('not-a-folder', message`${root} is not a folder.`, message`Choose another folder.`, {
    effect: 'none',
  });
}

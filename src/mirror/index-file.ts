import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { documentContent, isObject, member, parseDocument, stringOrNull } from '../core/json/json.ts';
import { printable, redact } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { digestOfFile } from './download.ts';

/** The files written by this program and their stats at that time, so that a later run need not read them again. */
export const INDEX = '.appreg-mirror.json';
export interface Index {
  source: string;
  files: Record<string, { sha256: string; bytes: number; modified: number }>;
}

/** @throws AppregError if the folder mirrors another registry */
export async function indexOf(root: string, source: string): Promise<Index> {
  const text = await readFile(join(root, INDEX), 'utf8').catch(() => '');
  const value = text === '' ? undefined : parseDocument(documentContent(Buffer.from(text))).value;
  const files = member(value, 'files');
  const known = isObject(files) ? (files as unknown as Index['files']) : {};
  const from = stringOrNull(member(value, 'source'));
  if (from !== null && from !== redact(source))
    throw new AppregError(
      'mirror-source-differs',
      `This folder mirrors ${printable(from)}.`,
      'Choose another folder; one folder mirrors one registry.',
    );
  return { source: redact(source), files: { ...known } };
}

/** True if the file exists with this digest; a file with unchanged stats is not read. */
export async function isThere(root: string, path: string, digest: string, index: Index): Promise<boolean> {
  const file = await stat(join(root, path)).catch(() => null);
  if (!file) return false;
  const left = Object.hasOwn(index.files, path) ? index.files[path]! : null;
  if (left && left.bytes === file.size && left.modified === file.mtimeMs) return left.sha256 === digest;
  if ((await digestOfFile(join(root, path)))?.sha256 !== digest) return false;
  await remember(root, path, digest, index);
  return true;
}

/** Records the stats of a file with this digest. */
export async function remember(root: string, path: string, sha256: string, index: Index): Promise<void> {
  const { size, mtimeMs } = await stat(join(root, path));
  index.files[path] = { sha256, bytes: size, modified: mtimeMs };
}

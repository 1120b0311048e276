import { gunzipSync } from 'node:zlib';
import { Header } from 'tar/header';
import { Pax } from 'tar/pax';
import type { FileToPack } from '../archive.ts';

const BLOCK = 512;

/** The files of an archive that `packArchive` made. */
export function unpack(archive: Uint8Array): FileToPack[] {
  const tar = gunzipSync(archive);
  const files: FileToPack[] = [];
  let longPath: string | undefined;
  for (let at = 0; at < tar.length;) {
    const header = new Header(tar, at);
    if (header.nullBlock) break;
    const { path = '', size = 0, type } = header;
    const bytes = tar.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (type === 'ExtendedHeader') {
      longPath = Pax.parse(bytes.toString()).path;
    } else {
      files.push({ path: longPath ?? path, bytes });
      longPath = undefined;
    }
  }
  return files;
}

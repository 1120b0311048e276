import { promisify } from 'node:util';
import { gzip, gunzip, gzipSync, gunzipSync } from 'node:zlib';

/** JSON stored as gzip: a registry's text may contain characters that PostgreSQL's json types reject. */

const compress = promisify(gzip);
const decompress = promisify(gunzip);
/** Bytes up to which dispatching to another thread takes longer than the work. */
const SMALL = 32_768;

export async function pack(value: unknown): Promise<Buffer> {
  const text = JSON.stringify(value);
  return text.length < SMALL ? gzipSync(text, { level: 1 }) : compress(text, { level: 1 });
}

export async function unpack<T>(packed: Buffer): Promise<T> {
  const value: T = JSON.parse(await unpackText(packed));
  return value;
}

/** The JSON text. */
export async function unpackText(packed: Buffer): Promise<string> {
  return (packed.length < SMALL / 8 ? gunzipSync(packed) : await decompress(packed)).toString('utf8');
}

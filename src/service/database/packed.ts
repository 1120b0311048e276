import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

/** JSON kept as gzip: the text of a registry may hold characters that PostgreSQL's json types refuse. */

const squeeze = promisify(gzip);
const expand = promisify(gunzip);

export async function pack(value: unknown): Promise<Buffer> {
  return squeeze(JSON.stringify(value), { level: 1 });
}

export async function unpack<T>(packed: Buffer): Promise<T> {
  return JSON.parse(await unpackText(packed)) as T;
}

/** The JSON itself. */
export async function unpackText(packed: Buffer): Promise<string> {
  return (await expand(packed)).toString('utf8');
}

/** A text as PostgreSQL can hold it: without NUL and lone surrogates. */
export function storable(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\u{fffd}');
}

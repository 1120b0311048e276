import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, deflateRaw, type ZlibOptions } from 'node:zlib';

/** Part of the data to compress (RFC 1951). Parts are compressed independently. */
export interface Slice {
  bytes: Uint8Array;
  level: number;
  /** The bytes before it, to which it may refer; at most one window. */
  dictionary: Uint8Array;
  /** True if it ends the data; otherwise its compressed form ends at a byte, so that another one can follow. */
  isLast: boolean;
}

export type Deflate = (slice: Slice) => Promise<Uint8Array>;

/** The window size of deflate. */
export const WINDOW = 32 * 1024;

const SETTINGS = { memLevel: 8, windowBits: 15, chunkSize: 64 * 1024 } as const;

/** SHA-256 of the compressed test data, as the programs of nodejs.org compress it. */
const EXPECTED = '06ffae4d68e781ff4c8b5dba8417292e6bd30df4aa1dfbc1d7d211d290989dc3';

let chosen: Promise<Deflate> | null = null;

/**
 * Returns a compressor whose bytes are the same everywhere: those of the zlib in the programs of nodejs.org. The Node.js
 * of a distribution uses the zlib of the system, and Bun and Deno have their own; these write other bytes for the same
 * data. So the zlib of this process is tested, once, and pako is used in its place where its bytes differ. pako takes
 * twice as long.
 */
export function reproducibleDeflate(): Promise<Deflate> {
  return (chosen ??= chooseDeflate());
}

async function chooseDeflate(): Promise<Deflate> {
  const digest = await testDigest(deflateNatively);
  return digest === EXPECTED ? deflateNatively : openPako();
}

const deflateAsync = promisify<Uint8Array, ZlibOptions, Buffer>(deflateRaw);

function deflateNatively({ bytes, level, dictionary, isLast }: Slice): Promise<Uint8Array> {
  const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
  return deflateAsync(bytes, { ...SETTINGS, level, finishFlush, ...(dictionary.length > 0 && { dictionary }) });
}

/** Loads pako, which computes the bytes in JavaScript. */
export async function openPako(): Promise<Deflate> {
  const { Deflate, Z_FINISH, Z_SYNC_FLUSH } = await import('pako');
  return async ({ bytes, level, dictionary, isLast }) => {
    const stream = new Deflate({ ...SETTINGS, raw: true, level, dictionary });
    const chunks: Uint8Array[] = [];
    stream.onData = (chunk) => void chunks.push(chunk);
    stream.push(bytes, isLast ? Z_FINISH : Z_SYNC_FLUSH);
    if (stream.err !== 0) throw new Error(`pako failed: ${stream.msg}`);
    return Buffer.concat(chunks);
  };
}

/** The digest of the test data as this compressor writes it, with the settings of archives. */
export async function testDigest(deflate: Deflate): Promise<string> {
  const data = testData();
  const dictionary = data.subarray(0, WINDOW);
  const bytes = data.subarray(WINDOW);
  const compressed = await Promise.all([
    deflate({ bytes, level: 7, dictionary, isLast: false }),
    deflate({ bytes, level: 9, dictionary, isLast: true }),
  ]);
  return createHash('sha256').update(Buffer.concat(compressed)).digest('hex');
}

const WORDS = [
  'const ',
  'return ',
  'await ',
  '(x) => ',
  '\n  ',
  'import ',
  "'text'",
  '.map(',
  '();\n',
  ' === ',
  '[',
  ']',
];
const TEST_BYTES = WINDOW + 40 * 1024;

/**
 * Data like that of archives, since compressors differ in what few data have: words, numbers, near and distant
 * repetitions of every length, bytes without any order, zeros.
 */
function testData(): Buffer {
  let state = 1;
  const next = (below: number): number => (state = (state * 48271) % 2147483647) % Math.max(below, 1);
  const data = Buffer.alloc(TEST_BYTES);
  for (let end = 0; end < TEST_BYTES;) {
    const kind = next(100);
    const at = next(end);
    if (kind < 25) end += data.write(WORDS[Math.min(next(WORDS.length), next(WORDS.length))] ?? '', end, 'latin1');
    else if (kind < 80) end += data.write(next(2_000_000).toString(36), end, 'latin1');
    else if (kind < 97) end += data.copy(data, end, at, at + 3 + next(kind < 94 ? 12 : 70));
    else if (kind < 99) for (let count = next(40); count > 0; count--) data[end++] = next(256);
    else end += next(64);
  }
  return data;
}

import { createHash } from 'node:crypto';
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { type ComparedBody, type Content, isMissing, type Missing, type Probe } from '../../core/facts/facts.ts';
import { contentCodings } from '../../core/http/headers.ts';
import { lastHop } from '../../core/http/probe.ts';
import type { DocumentContent } from '../../core/json/content.ts';
import { faultSeverity } from '../../core/registry/image-faults.ts';
import { jsonValueIn } from '../../core/json/value-in.ts';
import { kindOf } from '../../core/text/file-type.ts';
import { gzipHeaderSize } from '../archive/gzip.ts';
import { bytesOf } from '../content/document-content.ts';
import { unknownCodings } from '../digest/decode.ts';
import { inspectImage } from '../icon/inspect-image.ts';
import type { BodyReader } from './body.ts';

/** Reads the copy of a file that is served to clients that accept compression, as browsers and Node's fetch read it. */

/** A body larger than this as sent is not decoded; one that is larger decoded is only compared by its digest. */
const MAX_KEPT = 16 * 1024 * 1024;

const MAX_COMPARED = 4 * 1024 * 1024;

/** The reference for a copy: the response to a server-side client. */
export interface Reference {
  /** Hexadecimal SHA-256 of the content, with no coding applied. */
  sha256: string;
  bytes: number;
  /** The text of a JSON document; null if only equal bytes count. */
  text: (() => string | null) | null;
  /** True for an icon, which hosts convert for browsers: another image is not a different response. */
  isImage: boolean;
}

/**
 * @param sha256 of the bytes as sent, if known
 * @returns null for a document that was not read completely
 */
export function referenceOfDocument(
  probe: Probe,
  content: DocumentContent | Missing,
  sha256: string | null,
): Reference | null {
  if (isMissing(content) || content.cut) return null;
  return {
    sha256: sha256 !== null && isPlain(probe) ? sha256 : digestOf(bytesOf(content)),
    bytes: content.bytes,
    text: () => content.text,
    isImage: false,
  };
}

/** @param bytes decoded; null if they were not kept */
export function referenceOfIcon(probe: Probe, content: Content, bytes: Uint8Array | null): Reference | null {
  if (content.cut) return null;
  if (isPlain(probe)) return { sha256: content.sha256, bytes: content.bytes, text: null, isImage: true };
  return bytes === null ? null : { sha256: digestOf(bytes), bytes: bytes.length, text: null, isImage: true };
}

function isPlain(probe: Probe): boolean {
  return contentCodings(lastHop(probe)?.headers ?? []).length === 0;
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The body of one attempt. */
interface CopyReader extends BodyReader {
  /** The facts about the copy; undefined if it is the same, or was too large to compare. */
  end(): ComparedBody | undefined;
}

/**
 * @param applied the codings of the body
 * @param limit maximum number of bytes to read, as sent and decoded
 */
export function readCopy(applied: readonly string[], reference: Reference, limit: number): CopyReader {
  const kept = applied.length > 0 ? MAX_KEPT : MAX_COMPARED;
  const hash = createHash('sha256');
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    limit,
    over: 'cut',
    write(chunk) {
      // One byte beyond the limit shows that it was cut.
      bytes += chunk.length;
      if (applied.length === 0) hash.update(chunk);
      if (bytes <= Math.min(kept, limit)) chunks.push(Buffer.from(chunk));
      else if (applied.length > 0) chunks.length = 0;
    },
    end: () => copyOf({ applied, chunks, hash, bytes }, reference, limit),
  };
}

interface Reading {
  applied: readonly string[];
  chunks: readonly Buffer[];
  hash: ReturnType<typeof createHash>;
  bytes: number;
}

function copyOf(
  { applied, chunks, hash, bytes }: Reading,
  reference: Reference,
  limit: number,
): ComparedBody | undefined {
  const coding = applied.join(', ');
  if (bytes > limit || (applied.length > 0 && bytes > MAX_KEPT)) return undefined;
  const sent = Buffer.concat(chunks);
  const first = { bytes: reference.bytes, sha256: reference.sha256 };
  if (applied.length === 0) {
    const sha256 = hash.digest('hex');
    if (sha256 === reference.sha256) return undefined;
    const kind = kindOf(sent);
    const same = isEquivalent(bytes <= MAX_COMPARED ? sent : null, kind, reference);
    if (same) return undefined;
    const missing = missingCoding(sent, reference, limit);
    return { coding, bytes, kind, fault: null, decoded: { bytes, sha256, kind }, same, first, ...missing };
  }
  const { content, fault } = removeCodings(sent, applied, limit);
  const kind = kindOfSent(sent, applied);
  if (content === null) return { coding, bytes, kind, fault, decoded: null, same: false, first };
  const sha256 = createHash('sha256').update(content).digest('hex');
  const decoded = { bytes: content.length, sha256, kind: kindOf(content) };
  const same = sha256 === reference.sha256 || isEquivalent(content, decoded.kind, reference);
  const missing = same || unknownCodings(applied).length === 0 ? {} : missingCoding(sent, reference, limit);
  return { coding, bytes, kind, fault, decoded, same, first, ...missing };
}

function missingCoding(sent: Buffer, reference: Reference, limit: number): Pick<ComparedBody, 'missingCoding'> {
  const isWanted = (content: Buffer): boolean =>
    createHash('sha256').update(content).digest('hex') === reference.sha256 ||
    isEquivalent(content, kindOf(content), reference);
  const isArchive = reference.text === null && !reference.isImage;
  const coding = missingCodingOf(sent, isWanted, isArchive, limit);
  return coding === null ? {} : { missingCoding: coding };
}

const IMAGES = new Set(['png', 'svg', 'webp', 'avif', 'jpeg', 'gif']);

function isEquivalent(content: Buffer | null, kind: string, { text, isImage }: Reference): boolean {
  if (isImage) return IMAGES.has(kind) && (content === null || faultSeverity(inspectImage(content)) !== 'error');
  const other = content === null ? null : (text?.() ?? null);
  return other !== null && content !== null && jsonOf(content.toString()) === jsonOf(other);
}

/** Two texts that are not JSON always differ. */
function jsonOf(text: string): string | symbol {
  const value = jsonValueIn(text);
  return value === undefined ? Symbol('no JSON') : JSON.stringify(value);
}

/** Brotli has no signature: a body of no other kind that decodes as Brotli is Brotli. */
function kindOfSent(sent: Buffer, applied: readonly string[]): string {
  const kind = kindOf(sent);
  if (kind !== 'unknown' || applied.at(-1) === 'br') return kind === 'unknown' ? 'brotli' : kind;
  return attempt(() => brotliDecompressSync(sent)) === null ? kind : 'brotli';
}

interface DecodedCopy {
  content: Buffer | null;
  fault: ComparedBody['fault'];
}

/**
 * Removes the codings, the last one first. Like browsers, it ignores unknown codings, and what follows the compressed
 * data.
 * @param limit maximum number of decoded bytes
 */
export function removeCodings(sent: Buffer, applied: readonly string[], limit: number): DecodedCopy {
  if (sent.length === 0 || unknownCodings(applied).length > 0) return { content: sent, fault: null };
  let decoded: DecodedCopy = { content: sent, fault: null };
  for (const coding of applied.toReversed()) {
    if (decoded.content === null) break;
    const next = removeCoding(coding, decoded.content, limit);
    decoded = { content: next.content, fault: decoded.fault ?? next.fault };
  }
  return decoded;
}

function removeCoding(coding: string, sent: Buffer, limit: number): DecodedCopy {
  const options = { maxOutputLength: limit };
  if (coding === 'gzip') return removeGzip(sent, options);
  const [strict, lenient] =
    coding === 'br'
      ? [
          () => brotliDecompressSync(sent, options),
          () =>
            brotliDecompressSync(sent, {
              ...options,
              flush: constants.BROTLI_OPERATION_FLUSH,
              finishFlush: constants.BROTLI_OPERATION_FLUSH,
            }),
        ]
      : deflated(sent, options);
  const complete = attempt(strict);
  if (complete !== null) return { content: complete, fault: null };
  const beginning = attempt(lenient);
  return beginning === null ? { content: null, fault: 'broken' } : { content: beginning, fault: 'truncated' };
}

/** Deflate is sent with and without a zlib header: the first byte distinguishes them. */
function deflated(sent: Buffer, options: { maxOutputLength: number }): [() => Buffer, () => Buffer] {
  const [first = 0] = sent;
  const inflate = (first & 0x0f) === 8 ? inflateSync : inflateRawSync;
  return [() => inflate(sent, options), () => inflate(sent, { ...options, finishFlush: constants.Z_SYNC_FLUSH })];
}

/** Browsers read the first member of a gzip file and ignore the rest; Node's fetch reads all members. */
function removeGzip(sent: Buffer, options: { maxOutputLength: number }): DecodedCopy {
  const complete = attempt(() => gunzipSync(sent, options));
  const first = firstMember(sent, options);
  if (first === null) return { content: null, fault: 'broken' };
  const { content, end } = first;
  if (complete !== null) return { content, fault: complete.length === content.length ? null : 'members' };
  if (end === null) return { content, fault: 'truncated' };
  // An incomplete trailer is ignored by clients.
  return { content, fault: sent.length < end + 8 ? null : 'end' };
}

/** @returns the content of the first member, and where its deflate stream ends; null if the end is missing */
function firstMember(
  sent: Buffer,
  options: { maxOutputLength: number },
): { content: Buffer; end: number | null } | null {
  const start = gzipHeaderSize(sent);
  if (typeof start === 'string') return null;
  const body = sent.subarray(start);
  const complete = inflateWithInfo(body, options);
  if (complete !== null) return { content: complete.buffer, end: start + complete.engine.bytesWritten };
  const beginning = attempt(() => inflateRawSync(body, { ...options, finishFlush: constants.Z_SYNC_FLUSH }));
  return beginning === null ? null : { content: beginning, end: null };
}

/** The result of zlib's synchronous functions with the option `info`. */
interface Inflated {
  buffer: Buffer;
  engine: { bytesWritten: number };
}

/** @returns null if the data cannot be inflated to its end */
function inflateWithInfo(body: Buffer, options: { maxOutputLength: number }): Inflated | null {
  // The types of Node do not know what the option changes.
  const result: unknown = attempt(() => inflateRawSync(body, { ...options, info: true }));
  if (result === null || isInflated(result)) return result;
  // Without the end of the stream, every copy would count as truncated.
  throw new Error('zlib does not support the option info.');
}

function isInflated(result: unknown): result is Inflated {
  return typeof result === 'object' && result !== null && 'buffer' in result && 'engine' in result;
}

type Coding = NonNullable<ComparedBody['missingCoding']>;

const BY_SIGNATURE: ReadonlyMap<string, Coding> = new Map([
  ['gzip', 'gzip'],
  ['zlib', 'deflate'],
  ['zstd', 'zstd'],
]);

const UNDO = [
  ['deflate', inflateSync],
  ['deflate', inflateRawSync],
  ['br', brotliDecompressSync],
] as const;

/**
 * The coding of a body, by its signature, or by decoding it if the coding has no signature.
 * @param isWanted whether some bytes are the requested file
 * @param isArchive true for a file that is compressed itself: its own signature is not evidence
 * @param limit maximum number of decoded bytes
 * @returns null if the bytes are the file, or of an unknown form
 */
function missingCodingOf(
  sent: Buffer,
  isWanted: (content: Buffer) => boolean,
  isArchive: boolean,
  limit: number,
): Coding | null {
  const kind = kindOf(sent);
  const options = { maxOutputLength: limit };
  const bySignature = BY_SIGNATURE.get(kind) ?? null;
  if (bySignature === 'gzip' && isArchive) {
    const content = attempt(() => gunzipSync(sent, options));
    return content !== null && isWanted(content) ? 'gzip' : null;
  }
  if (bySignature !== null || kind !== 'unknown') return bySignature;
  for (const [coding, undo] of UNDO) {
    const content = attempt(() => undo(sent, options));
    // Some random bytes decode as well, to an unknown form.
    if (content !== null && content.length > 0 && (isWanted(content) || kindOf(content) !== 'unknown')) return coding;
  }
  return null;
}

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Content } from '../../core/facts/facts.ts';
import { withoutSecretsInHead } from '../content/redact-head.ts';
import { createDigester, type Digester } from './digest.ts';

/** Decodes Content-Encodings while the bytes are streamed, in parallel with other processing of the bytes as sent. */
export interface Decoder {
  write(chunk: Uint8Array): void | Promise<void>;
  /**
   * Waits for the end.
   * @returns the fault, or null
   */
  end(): Promise<string | null>;
}

/** The fault of a stream that decodes to more bytes than its limit. */
export const DECODED_TOO_LARGE = 'DECODED_TOO_LARGE';

const SUPPORTED = new Set(['gzip', 'deflate', 'br']);

/** The codings that are not supported here, by name. */
export function unknownCodings(codings: readonly string[]): string[] {
  return codings.filter((coding) => !SUPPORTED.has(coding));
}

/** Transforms in a row: the codings are removed, the last one first. */
interface Pipeline {
  stages: readonly Transform[];
  input: Transform;
  output: Transform;
}

/**
 * @param codings at least one, as returned by `codings()` of core/headers, in the order in which they were applied
 * @param limit maximum number of decoded bytes; more are a fault, not dropped silently
 * @param sink takes the decoded bytes; they may be reused after it returns
 */
export function createDecoder(codings: readonly string[], limit: number, sink: (chunk: Uint8Array) => void): Decoder {
  const [unknown] = unknownCodings(codings);
  if (unknown !== undefined) return { write() {}, end: async () => `unknown coding ${unknown}` };
  let pipeline: Pipeline | null = null;
  let fault: string | null = null;
  let bytes = 0;

  function fail(message: string): void {
    fault ??= message;
    for (const stage of pipeline?.stages ?? []) stage.destroy();
  }

  /** Opened at the first byte, which distinguishes the two formats called deflate. */
  function open(firstByte: number): Pipeline {
    const opened = openPipeline(codings, firstByte);
    for (const stage of opened.stages)
      stage.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
    opened.output.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limit) return fail(DECODED_TOO_LARGE);
      sink(chunk);
    });
    return opened;
  }

  return {
    async write(chunk) {
      const [firstByte] = chunk;
      if (fault !== null || firstByte === undefined) return;
      pipeline ??= open(firstByte);
      const { input } = pipeline;
      // The stage retains its input for a while, so it gets a copy.
      if (!input.write(Buffer.from(chunk)) && fault === null) await drained(input);
    },
    async end() {
      if (fault !== null || pipeline === null) return fault ?? 'no bytes to decode';
      const { input, output } = pipeline;
      const closed = new Promise((resolve) => output.once('close', resolve));
      input.end();
      if (!output.closed) await closed;
      return fault;
    },
  };
}

/** @param firstByte of the body */
function openPipeline(codings: readonly string[], firstByte: number): Pipeline {
  const [last, ...others] = codings.toReversed();
  if (last === undefined) throw new Error('The list of codings is empty.');
  const input = openStage(last, firstByte);
  const stages = [input];
  let output = input;
  for (const coding of others) {
    const stage = openStage(coding, null);
    output.pipe(stage);
    stages.push(stage);
    output = stage;
  }
  return { stages, input, output };
}

/** @param firstByte null if it is not known yet */
function openStage(coding: string, firstByte: number | null): Transform {
  if (coding === 'br') return createBrotliDecompress();
  if (coding === 'gzip') return createGunzip();
  return firstByte === null || (firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw();
}

/** Resolves when a stage accepts more input, or has ended. */
function drained(stage: Transform): Promise<void> {
  return new Promise((resolve) => {
    function done(): void {
      stage.off('drain', done).off('close', done);
      resolve();
    }
    stage.on('drain', done).on('close', done);
  });
}

/** The digest of the bytes after their Content-Encoding is decoded (`Content.decoded`). */
export interface DecodedDigester {
  write: Decoder['write'];
  end(): Promise<NonNullable<Content['decoded']>>;
}

/**
 * Creates a digester of the decoded bytes.
 * @param codings in the order in which they were applied
 * @param limit maximum number of decoded bytes
 */
export function createDecodedDigester(codings: readonly string[], limit: number): DecodedDigester {
  const digester = createDigester(limit);
  const decoder = createDecoder(codings, limit, (chunk) => digester.write(chunk));
  return {
    write: (chunk) => decoder.write(chunk),
    async end() {
      return decodedContent(codings, digester, await decoder.end());
    },
  };
}

/** The facts about bytes that were decoded before. */
export function digestDecoded(codings: readonly string[], bytes: Uint8Array): ReturnType<DecodedDigester['end']> {
  const digester = createDigester(Infinity);
  digester.write(bytes);
  return decodedContent(codings, digester, null);
}

async function decodedContent(
  codings: readonly string[],
  digester: Digester,
  error: string | null,
): ReturnType<DecodedDigester['end']> {
  const { bytes, sha256, head } = await withoutSecretsInHead(digester.end(), digester.start);
  return { coding: codings.join(', '), bytes, sha256: error === null ? sha256 : '', head, error };
}

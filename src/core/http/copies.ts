import type { ComparedBody, Hop, Probe, HttpViews } from '../facts/facts.ts';
import { headerValue } from './headers.ts';
import { lastHop } from './probe.ts';

/**
 * Helpers for the rules about the responses that browsers and other clients get (`browser` and `gzip` of HttpViews).
 */

/** The responses to clients that accept compression whose body was compared. */
export function comparedAnswers({ browser, gzip }: HttpViews): { probe: Probe; copy: ComparedBody; hop: Hop }[] {
  return [...browser, ...(gzip ? [gzip] : [])].flatMap((probe) => {
    const hop = lastHop(probe);
    return probe.copy && hop && probe.failure === null ? [{ probe, copy: probe.copy, hop }] : [];
  });
}

/** True for a web page, or no bytes, in place of the file. */
export function isPage(copy: ComparedBody | undefined): boolean {
  if (copy === undefined || copy.same || copy.fault !== null) return false;
  return copy.decoded?.kind === 'html' || copy.decoded?.kind === 'empty';
}

/** True for a body that is still compressed after decoding: it was compressed twice. */
export function isCompressedTwice({ coding, decoded, same }: ComparedBody): boolean {
  return coding !== '' && !same && decoded !== null && ['gzip', 'zlib', 'zstd'].includes(decoded.kind);
}

/** The two contents in words: digest, length, date of the last change and address of each. */
export function bothContents(answer: Probe, copy: ComparedBody, other: Probe): string {
  const { decoded, first } = copy;
  const left = describe(first.sha256, first.bytes, lastHop(answer));
  return `${left} and ${decoded === null ? 'nothing' : describe(decoded.sha256, decoded.bytes, lastHop(other))}`;
}

function describe(sha256: string, bytes: number, hop: Hop | null): string {
  const changed = headerValue(hop?.headers ?? [], 'last-modified');
  const parts = [`${bytes} bytes`, `SHA-256 ${sha256.slice(0, 12)}…`];
  if (changed !== null) parts.push(`Last-Modified ${changed}`);
  if (hop?.address) parts.push(`from ${hop.address}`);
  return parts.join(', ');
}

/** The same as evidence, with full digests. */
export function copyEvidence(answer: Probe, copy: ComparedBody, other: Probe): Record<string, string | number | null> {
  const [one, two] = [lastHop(answer), lastHop(other)];
  return {
    requested: two?.url ?? null,
    contentEncoding: copy.coding === '' ? null : copy.coding,
    sentBytes: copy.bytes,
    sentKind: copy.kind,
    ...(copy.missingCoding === undefined ? {} : { missingCoding: copy.missingCoding }),
    firstSha256: copy.first.sha256,
    firstBytes: copy.first.bytes,
    firstLastModified: headerValue(one?.headers ?? [], 'last-modified'),
    firstAddress: one?.address ?? null,
    otherSha256: copy.decoded?.sha256 ?? null,
    otherBytes: copy.decoded?.bytes ?? null,
    otherKind: copy.decoded?.kind ?? null,
    otherLastModified: headerValue(two?.headers ?? [], 'last-modified'),
    otherAddress: two?.address ?? null,
  };
}

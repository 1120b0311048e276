import { createHash } from 'node:crypto';
import type { Content, DocumentContent, Missing, Probe } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { codings } from '../../core/http/headers.ts';
import { lastHop } from '../../core/http/probe.ts';
import type { Reference } from './copy.ts';

/** The reference for browsers' copies: the response to a server-side client, with no coding applied. */

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
  return codings(lastHop(probe)?.headers ?? []).length === 0;
}

function bytesOf({ text, base64 }: DocumentContent): Uint8Array {
  return text === null ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text);
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

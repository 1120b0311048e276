import type { ImageFacts } from '../../core/facts/facts.ts';
import { kindOf } from '../../core/text/file-type.ts';
import { inspectPng } from './png.ts';
import { inspectXml } from './svg.ts';

const HEAD_BYTES = 512;

/**
 * The format of an icon's bytes (spec 2.1), detected from the bytes only, never from a name or a label. PNG and SVG are
 * read without rendering them; the pixels of a PNG are inflated up to a limit. The facts say what was not read.
 * @param bytes the whole icon; if it was truncated, the facts say so as a fault
 */
export function inspectImage(bytes: Uint8Array): ImageFacts {
  const kind = kindOf(bytes.subarray(0, HEAD_BYTES));
  if (kind === 'png') return inspectPng(bytes);
  if (kind === 'svg' || kind === 'xml') return inspectXml(bytes, kind);
  if (kind === 'html' || kind === 'text') {
    // Behind much whitespace or a comment, or with the DOCTYPE of HTML, which browsers accept.
    const facts = inspectXml(bytes, kind);
    if (facts.kind === 'svg') return facts;
  }
  return { kind, width: null, height: null, fault: null, active: [] };
}

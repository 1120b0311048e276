import type { ImageFacts } from '../../core/facts/facts.ts';
import { kindOf } from '../../core/text/file-type.ts';
import { inspectPng } from './png.ts';
import { inspectXml } from './svg.ts';

const HEAD_BYTES = 512;

/**
 * What an icon's bytes are (spec 2.1), told by themselves and never by a name or a label. PNG and SVG are read to their
 * end, without drawing them; entities of an SVG are never expanded, and the pixels of a PNG are inflated up to a limit.
 * @param bytes the whole icon; where it was cut off, the facts say so as a fault
 */
export function inspectImage(bytes: Uint8Array): ImageFacts {
  const kind = kindOf(bytes.subarray(0, HEAD_BYTES));
  if (kind === 'png') return inspectPng(bytes);
  if (kind === 'svg' || kind === 'xml') return inspectXml(bytes, kind);
  return { kind, width: null, height: null, fault: null, active: [] };
}

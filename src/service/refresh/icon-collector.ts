import { createHash } from 'node:crypto';
import { type IconFacts, type ImageFacts, isMissing } from '../../core/facts/facts.ts';
import { comparableUrl } from '../../core/http/url.ts';
import type { IconRow } from '../database/tables.ts';

/** Icons that the page may show: complete, small PNG or SVG files, detected by content, without active content. */

/** Spec section 8: icons should be under 1 MB. */
const BYTES_LIMIT = 1_000_000;
/** 4096 by 4096. */
const PIXELS_LIMIT = 2 ** 24;
/** Total bytes of the icons kept by one refresh. */
const TOTAL_BYTES = 64 * 2 ** 20;

export interface IconCollector {
  /** Receives a fetched icon. */
  add(facts: IconFacts, bytes: Uint8Array): void;
  /** The icon of an app, null for none, undefined if the previous one is kept. */
  iconOf(facts: IconFacts): IconRow | null | undefined;
}

export function openIconCollector(): IconCollector {
  // Apps may share an icon: it is kept once, until the end of the run.
  const byUrl = new Map<string, IconRow | null>();
  let remaining = TOTAL_BYTES;
  return {
    add({ url, content, image }, bytes) {
      if (url === null) return;
      const key = comparableUrl(url);
      byUrl.set(key, null);
      if (isMissing(content) || content.cut || isMissing(image)) return;
      const type = typeOf(image);
      if (type === null || bytes.length === 0 || bytes.length >= BYTES_LIMIT || bytes.length > remaining) return;
      remaining -= bytes.length;
      byUrl.set(key, { sha256: createHash('sha256').update(bytes).digest(), type, bytes: Buffer.from(bytes) });
    },
    // What was not fetched is either unchanged, or its host fails.
    iconOf: ({ url }) => (url === null ? undefined : byUrl.get(comparableUrl(url))),
  };
}

function typeOf({ kind, fault, active, width, height }: ImageFacts): IconRow['type'] | null {
  if (fault !== null || active.length > 0) return null;
  if (kind === 'svg') return 'image/svg+xml';
  return kind === 'png' && width !== null && height !== null && width * height <= PIXELS_LIMIT ? 'image/png' : null;
}

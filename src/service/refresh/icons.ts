import { createHash } from 'node:crypto';
import type { IconFacts, ImageFacts } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { sameAddress } from '../../core/http/url.ts';
import type { IconRow } from '../storage/tables.ts';

/** Icons that the page may show: PNG or SVG by their bytes, whole, small, and without anything active in them. */

export type GoodIcon = IconRow;

/** Spec section 8: kept under 1 MB. */
const BYTES = 1_000_000;
/** 4096 by 4096. */
const PIXELS = 2 ** 24;
/** Of all icons that one refresh keeps. */
const ALL_BYTES = 64 * 2 ** 20;

export interface IconShelf {
  /** Takes what was fetched. */
  take(facts: IconFacts, bytes: Uint8Array): void;
  /** What an app is to show: its icon, null for none, undefined where what it showed before stands. */
  iconOf(facts: IconFacts): GoodIcon | null | undefined;
}

export function openShelf(): IconShelf {
  // Apps may share an icon: it is held until the run is over, and only once.
  const byAddress = new Map<string, GoodIcon | null>();
  let room = ALL_BYTES;
  return {
    take({ url, content, image }, bytes) {
      if (url === null) return;
      const address = sameAddress(url);
      byAddress.set(address, null);
      if (isMissing(content) || content.cut || isMissing(image)) return;
      const type = typeOf(image);
      if (type === null || bytes.length === 0 || bytes.length >= BYTES || bytes.length > room) return;
      room -= bytes.length;
      byAddress.set(address, { sha256: createHash('sha256').update(bytes).digest(), type, bytes: Buffer.from(bytes) });
    },
    // What was not fetched has not changed, or its host fails.
    iconOf: ({ url }) => (url === null ? undefined : byAddress.get(sameAddress(url))),
  };
}

function typeOf({ kind, fault, active, width, height }: ImageFacts): GoodIcon['type'] | null {
  if (fault !== null || active.length > 0) return null;
  if (kind === 'svg') return 'image/svg+xml';
  return kind === 'png' && width !== null && height !== null && width * height <= PIXELS ? 'image/png' : null;
}

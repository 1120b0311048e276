import {
  comparableUrl,
  faultSeverity,
  type IconFacts,
  type ImageFacts,
  isMissing,
  type Missing,
  partsOfImage,
} from 'appreg';
import type { FetchedIcon, RememberedApp } from 'appreg/node';
import { type IconRow } from '../domain/icons.ts';
import { createHash } from 'node:crypto';
import { type AppRecord } from '../domain/app-changes.ts';
import { containsSecret, type RequestCredentials } from './credentials.ts';

/** Icons that the page may show: complete, small PNG or SVG files, detected by content, without active content. */

/** Spec section 8: icons should be under 1 MB. */
export const ICON_BYTES = 1_000_000;
/** 4096 by 4096. */
const PIXELS_LIMIT = 2 ** 24;
/** Total bytes of the icons kept by one refresh. */
const TOTAL_BYTES = 64 * 2 ** 20;

export interface IconCollector {
  /**
   * Called for each app, in any order.
   * @param fetched null if it was not fetched
   * @returns the icon of the app, null for none, undefined if the previous one is kept
   */
  iconOf(facts: IconFacts, fetched: FetchedIcon | null): IconRow | null | undefined;
}

/** @param credentials an icon that contains them is ignored */
export function openIconCollector(credentials: RequestCredentials): IconCollector {
  // Apps may share an icon: it is kept once, until the end of the run.
  const byUrl = new Map<string, IconRow | null>();
  let remaining = TOTAL_BYTES;

  function rowOf(type: IconRow['type'], bytes: Uint8Array | null): IconRow | null {
    if (bytes === null || bytes.length > remaining) return null;
    remaining -= bytes.length;
    return { sha256: createHash('sha256').update(bytes).digest(), type, bytes: Buffer.from(bytes) };
  }

  return {
    iconOf(facts, fetched) {
      if (facts.url === null) return undefined;
      const type = shownType(facts);
      // Also if it is remembered: an earlier version may have shown it.
      if (type === null) return null;
      const key = comparableUrl(facts.url);
      const isUsable = fetched !== null && !(fetched.bytes !== null && containsSecret(credentials, fetched.bytes));
      if (type !== undefined && isUsable) byUrl.set(key, rowOf(type, fetched.bytes));
      // An icon that was not fetched is either unchanged, or its host fails.
      return byUrl.get(key);
    },
  };
}

/** The type of an icon that the page may show; null for any other, undefined if the icon is not known. */
function shownType({ content, image }: Pick<IconFacts, 'content' | 'image'>): IconRow['type'] | null | undefined {
  if (isMissing(content) || isMissing(image)) return undefined;
  const { bytes } = content.decoded ?? content;
  return !content.cut && bytes > 0 && bytes < ICON_BYTES ? typeOf(image) : null;
}

const NOT_KNOWN: Missing = { missing: { code: 'not-cached' } };

/** The remembered app, without an icon that is not stored: its bytes are needed. */
export function withoutUnstoredIcon(record: AppRecord | null): RememberedApp | null {
  if (record === null || record.remembered === null) return null;
  const { icon, remembered } = record;
  if (icon !== null || !shownType(remembered.facts.icon)) return remembered;
  const none = { url: null, file: null, web: NOT_KNOWN, content: NOT_KNOWN, image: NOT_KNOWN };
  return { ...remembered, facts: { ...remembered.facts, icon: none } };
}

/** The type of an image of which all was read, and which has neither active content nor too many pixels. */
function typeOf(image: ImageFacts): IconRow['type'] | null {
  const { wholeImage, active } = partsOfImage(image);
  if (isMissing(wholeImage) || isMissing(active)) return null;
  const { kind, width, height, fault } = wholeImage;
  // A fault of an SVG ends its reading.
  if (kind === 'svg')
    return fault === null && active.every(({ code }) => code === 'namespace-entities') ? 'image/svg+xml' : null;
  if (kind !== 'png' || faultSeverity(wholeImage) === 'error') return null;
  return width !== null && height !== null && width * height <= PIXELS_LIMIT ? 'image/png' : null;
}

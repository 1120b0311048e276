import { type IconFacts, isMissing, type Missing, type ImageFacts } from '../../core/facts/facts.ts';
import { type IconRow } from '../domain/icons.ts';
import { comparableUrl } from '../../core/url/url.ts';
import { createHash } from 'node:crypto';
import { type AppRecord } from '../domain/app-changes.ts';
import { type RememberedApp } from '../../observe/registry/cache/observation-cache.ts';
import type { FetchedIcon } from '../../observe/registry/fetched-icons.ts';
import { containsSecret, type RequestCredentials } from './credentials.ts';
import { faultSeverity, partsOfImage } from '../../core/registry/image-faults.ts';

/** Icons that the page may show: complete, small PNG or SVG files, detected by content, without active content. */

/** Spec section 8: icons should be under 1 MB. */
export const ICON_BYTES = 1_000_000;
/** 4096 by 4096. */
const PIXELS_LIMIT = 2 ** 24;
/** Total bytes of the icons kept by one refresh. */
const TOTAL_BYTES = 64 * 2 ** 20;

export interface IconCollector {
  /** Receives an icon that was fetched; null for one that was not. */
  add(facts: IconFacts, icon: FetchedIcon | null): void;
  /** The icon of an app, null for none, undefined if the previous one is kept. */
  iconOf(facts: IconFacts): IconRow | null | undefined;
}

/** @param credentials an icon that contains them is ignored */
export function openIconCollector(credentials: RequestCredentials): IconCollector {
  // Apps may share an icon: it is kept once, until the end of the run.
  const byUrl = new Map<string, IconRow | null>();
  let remaining = TOTAL_BYTES;
  return {
    add({ url, content, image }, icon) {
      if (url === null || icon === null) return;
      const { bytes } = icon;
      if (bytes !== null && containsSecret(credentials, bytes)) return;
      const key = comparableUrl(url);
      byUrl.set(key, null);
      const type = shownType({ content, image });
      if (type === null || bytes === null || bytes.length > remaining) return;
      remaining -= bytes.length;
      byUrl.set(key, { sha256: createHash('sha256').update(bytes).digest(), type, bytes: Buffer.from(bytes) });
    },
    // What was not fetched is either unchanged, or its host fails.
    iconOf: ({ url }) => (url === null ? undefined : byUrl.get(comparableUrl(url))),
  };
}

/** The type of an icon that the page may show; null for any other. */
function shownType({ content, image }: Pick<IconFacts, 'content' | 'image'>): IconRow['type'] | null {
  if (isMissing(content) || content.cut || isMissing(image)) return null;
  const { bytes } = content.decoded ?? content;
  return bytes > 0 && bytes < ICON_BYTES ? typeOf(image) : null;
}

const NOT_KNOWN: Missing = { missing: { code: 'not-cached' } };

/** What is remembered of an app, without an icon that is not stored: its bytes are needed. */
export function withoutUnstoredIcon(record: AppRecord | null): RememberedApp | null {
  if (record === null || record.remembered === null) return null;
  const { icon, remembered } = record;
  if (icon !== null || shownType(remembered.facts.icon) === null) return remembered;
  const none = { url: null, file: null, web: NOT_KNOWN, content: NOT_KNOWN, image: NOT_KNOWN };
  return { ...remembered, facts: { ...remembered.facts, icon: none } };
}

/** True for an SVG of which all was read, and nothing is active. One with a fault was not read completely. */
function isPassive(image: ImageFacts): boolean {
  const { active } = partsOfImage(image);
  return image.fault === null && !isMissing(active) && active.every(({ code }) => code === 'namespace-entities');
}

function typeOf(image: ImageFacts): IconRow['type'] | null {
  const { kind, width, height } = image;
  if (kind === 'svg') return isPassive(image) ? 'image/svg+xml' : null;
  if (kind !== 'png' || faultSeverity(image) === 'error') return null;
  return width !== null && height !== null && width * height <= PIXELS_LIMIT ? 'image/png' : null;
}

import type { Severity } from '../values/severity.ts';
import { type ImageFacts, isMissing, type Missing } from '../facts/facts.ts';

/** The faults with which browsers still show an image, or may do so. */
const TOLERATED: Partial<Record<string, Severity>> = {
  'png trailing-data': 'note',
  'png palette-ignored': 'warning',
  'svg not-utf-8': 'warning',
  'svg too-complex': 'warning',
  'svg not-read': 'warning',
};

/** Null for an image without a fault. */
export function faultSeverity({ kind, fault }: Pick<ImageFacts, 'kind' | 'fault'>): Severity | null {
  return fault === null ? null : (TOLERATED[`${kind} ${fault.code}`] ?? 'error');
}

/** The facts about an image that rules are about. */
interface ImageParts {
  image: ImageFacts | Missing;
  /** The same, if all of it was read, or if what was read is invalid. */
  wholeImage: ImageFacts | Missing;
  /** Of an SVG, if all of it was read. */
  active: ImageFacts['active'] | Missing;
}

/** Separates the facts about an image: the facts about a part that was not read are missing. */
export function partsOfImage(image: ImageFacts | Missing): ImageParts {
  if (isMissing(image)) return { image, wholeImage: image, active: image };
  const { unread, active } = image;
  if (unread === undefined) return { image, wholeImage: image, active };
  const missing: Missing = { missing: { code: 'icon-not-read', part: unread } };
  return {
    image,
    wholeImage: faultSeverity(image) === 'error' ? image : missing,
    active: unread === 'xml' ? missing : active,
  };
}

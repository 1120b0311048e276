import {
  type Content,
  type HttpViews,
  type IconFacts,
  type ImageFacts,
  isMissing,
  type Missing,
} from '../../src/core/facts/facts.ts';
import { partsOfImage } from '../../src/core/registry/image-faults.ts';
import { createDigester } from '../../src/observe/digest/digest.ts';
import { inspectImage } from '../../src/observe/icon/inspect-image.ts';

const NOT_REQUESTED: Missing = { missing: { code: 'not-requested', flag: null } };

/** The facts of an icon, taken from bytes; also of one that is not read completely. */
export function iconFacts(
  bytes: string | Uint8Array,
  limit = Infinity,
  web: HttpViews | Missing = NOT_REQUESTED,
): IconFacts & { content: Content; image: ImageFacts } {
  const all = Buffer.from(bytes as Uint8Array);
  const digester = createDigester(limit);
  digester.write(all);
  return { url: null, file: null, web, content: digester.end(), image: inspectImage(all.subarray(0, limit)) };
}

/** The facts that the rules about icons see, taken from bytes. @throws for an icon that is not read completely */
export function seenIcon(
  bytes: string | Uint8Array,
  limit = Infinity,
  web: HttpViews | Missing = NOT_REQUESTED,
): { facts: IconFacts; content: Content; image: ImageFacts; wholeImage: ImageFacts; active: ImageFacts['active'] } {
  const facts = iconFacts(bytes, limit, web);
  const { content, image } = facts;
  const { wholeImage, active } = partsOfImage(image);
  if (isMissing(wholeImage) || isMissing(active)) throw new Error('the icon is not read completely');
  return { facts, content, image, wholeImage, active };
}

export const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h24v24H0z"/></svg>';

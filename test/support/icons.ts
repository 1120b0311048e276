import type { Content, IconFacts, ImageFacts, Missing, HttpViews } from '../../src/core/facts/facts.ts';
import { createDigester } from '../../src/observe/digest/digest.ts';
import { inspectImage } from '../../src/observe/icon/inspect-image.ts';

/** The facts that the rules about icons see, taken from bytes. */
export function seenIcon(
  bytes: string | Uint8Array,
  limit = Infinity,
  web: HttpViews | Missing = { missing: { code: 'not-requested', flag: null } },
): { facts: IconFacts; content: Content; image: ImageFacts } {
  const all = Buffer.from(bytes as Uint8Array);
  const digester = createDigester(limit);
  digester.write(all);
  const seen = { content: digester.end(), image: inspectImage(all.subarray(0, limit)) };
  return { facts: { url: null, file: null, web, ...seen }, ...seen };
}

export const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h24v24H0z"/></svg>';

import { isMissing, type Missing, type HttpViews } from '../facts/facts.ts';
import { codings } from './headers.ts';
import { lastHop } from './probe.ts';

/**
 * Why clients do not decode compressed bytes, as a clause that continues a sentence; null if the response has no
 * Content-Encoding.
 */
export function whyUndecoded(web: HttpViews | Missing): string | null {
  const hop = isMissing(web) ? null : lastHop(web.server);
  const list = hop === null ? [] : codings(hop.headers);
  if (list.length === 0) return null;
  return list.includes('identity')
    ? `its Content-Encoding (${list.join(', ')}) combines identity with another coding, so browsers and Node.js decode nothing`
    : `its Content-Encoding (${list.join(', ')}) is not supported by browsers and Node.js`;
}

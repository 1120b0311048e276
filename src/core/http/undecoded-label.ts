import { isMissing, type Missing, type HttpViews } from '../facts/facts.ts';
import { codings } from './headers.ts';
import { lastHop } from './probe.ts';

/**
 * Why compressed bytes were not decoded, for a sentence: their Content-Encoding is one that clients do not decode. Null
 * if there is none.
 */
export function labelNotUndone(web: HttpViews | Missing): string | null {
  const hop = isMissing(web) ? null : lastHop(web.server);
  const list = hop === null ? [] : codings(hop.headers);
  if (list.length === 0) return null;
  return `its label (Content-Encoding: ${list.join(', ')}) is not supported by browsers and Node.js${list.includes('identity') ? ': combined with identity, they decode nothing' : ''}`;
}

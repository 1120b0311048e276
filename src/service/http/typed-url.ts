import { parseUrl } from '../../core/http/url.ts';

/** Maximum characters of a URL. */
export const LONGEST_URL = 2048;

/** Why a text is not the URL of a host that can be requested. */
export type TypedUrlFault = 'too-long' | 'not-a-url' | 'user-info';

/** The http or https URL that a user typed, without its fragment. */
export function parseTypedUrl(text: string): { url: URL } | { fault: TypedUrlFault } {
  const typed = text.trim();
  if (typed.length > LONGEST_URL) return { fault: 'too-long' };
  const url = parseUrl(typed);
  if (!url || !/^https?:\/\//i.test(typed)) return { fault: 'not-a-url' };
  if (url.username !== '' || url.password !== '') return { fault: 'user-info' };
  url.hash = '';
  return { url };
}

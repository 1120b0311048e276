import type { Missing } from '../../core/facts/facts.ts';
import { isCanonicalUrl, parseUrl } from '../../core/http/url.ts';
import { blockedBy } from '../../core/facts/missing.ts';

const MISSHAPEN: Missing = blockedBy('schema-violation');
const MALFORMED: Missing = blockedBy('url-malformed');

/** Whether a listed URL can be requested: the rules about URLs report the others. */
export function isRequestable(url: string | null): url is string {
  if (url === null) return false;
  if (isCanonicalUrl(url)) return true;
  const parsed = parseUrl(url);
  return (
    parsed !== null &&
    (parsed.protocol === 'https:' || parsed.protocol === 'http:') &&
    parsed.username === '' &&
    parsed.password === ''
  );
}

/** @param url null if the document has no string in its place */
export function reasonNotRequestable(url: string | null): Missing {
  return url === null ? MISSHAPEN : MALFORMED;
}

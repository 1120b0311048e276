import { explainedBy } from './rule.ts';
import type { urlMalformed } from './urls/url-malformed.ts';

/** For `supersededBy` of rules about parts of a URL. */
export const OTHER_SCHEME = explainedBy<typeof urlMalformed>(
  'url-malformed',
  'A URL with another scheme than http and https has to be replaced as a whole',
  'scheme',
);

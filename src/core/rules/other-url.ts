import { explainedBy } from './rule.ts';
import type { urlMalformed } from './urls/url-malformed.ts';
import type { urlOfPage } from './urls/url-of-page.ts';
import type { urlPlaceholder } from './urls/url-placeholder.ts';

/** For `supersededBy` of rules about parts of a URL. */
export const OTHER_SCHEME = explainedBy<typeof urlMalformed>(
  'url-malformed',
  'A URL with another scheme than http and https has to be replaced as a whole',
  'scheme',
);

const BECAUSE = 'The URL is not that of the file, so what is found there, and how it ends, says nothing about the file';

/** For `supersededBy`: the URL leads elsewhere, as its form shows. */
export const NOT_ITS_URL = [
  explainedBy<typeof urlOfPage>('url-of-page', BECAUSE),
  explainedBy<typeof urlPlaceholder>('url-placeholder', BECAUSE, 'template'),
];

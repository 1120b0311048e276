import type { CorsFault, InvalidCorsCause } from '../http/cors.ts';
import type { CauseInfo } from './cause.ts';

/** The causes of a failed CORS check, for the rules about it. */

export const INVALID_CORS_CAUSES = {
  'two-headers': { title: 'The header is sent twice' },
  list: { title: 'The value is a list' },
  empty: { title: 'The value is empty' },
  null: { title: 'The value is "null"' },
  'unset-variable': { title: 'A variable of the server has no value' },
  'misspelled-wildcard': { title: 'The wildcard is misspelled' },
  'partial-wildcard': { title: 'The value has a wildcard within a name' },
  'upper-case': { title: 'The origin is in uppercase' },
  'trailing-slash': { title: 'The origin ends in a slash' },
  'no-scheme': { title: 'The origin has no scheme' },
  'wrong-scheme': { title: 'The origin has a different scheme' },
  'wrong-port': { title: 'The origin has a different port' },
  'default-port': { title: 'The origin has the default port' },
  'full-url': { title: 'The value is a URL with a path' },
  'no-origin': { title: 'The value is not an origin' },
} satisfies Readonly<Record<InvalidCorsCause, CauseInfo>>;

export const CORS_CAUSES = {
  absent: { title: 'The header is missing' },
  'other-origin': { title: 'A different origin is allowed' },
  'redirect-null-origin': { title: 'After a redirect the origin is "null"' },
  ...INVALID_CORS_CAUSES,
} satisfies Readonly<Record<CorsFault['cause'], CauseInfo>>;

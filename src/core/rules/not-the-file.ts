import type { artifactChecksumMismatch } from './artifacts/artifact-checksum-mismatch.ts';
import type { documentUnreadable } from './documents/document-unreadable.ts';
import type { schemaViolation } from './documents/schema-violation.ts';
import type { iconNotImage } from './icons/icon-not-image.ts';
import { NOT_ITS_URL } from './other-url.ts';
import { explainedBy } from './rule.ts';

const BECAUSE =
  'A page or an error message is served instead of the file, and how that is served says nothing about the file';

/** For `supersededBy`: something else is served instead of the file (a login page, an error message of the store). */
export const NOT_THE_FILE = [
  ...NOT_ITS_URL,
  explainedBy<typeof documentUnreadable>(
    'document-unreadable',
    BECAUSE,
    'html-page',
    'xml-error',
    'text-message',
    'program-message',
  ),
  explainedBy<typeof schemaViolation>('schema-violation', BECAUSE, 'error-message'),
  explainedBy<typeof iconNotImage>('icon-not-image', BECAUSE, 'html', 'xml', 'json', 'program-message'),
  explainedBy<typeof artifactChecksumMismatch>(
    'artifact-checksum-mismatch',
    BECAUSE,
    'html-page',
    'xml-error',
    'json-error',
    'program-message',
  ),
];

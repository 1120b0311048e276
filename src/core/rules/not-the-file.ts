import { artifactChecksumMismatch } from './artifacts/artifact-checksum-mismatch.ts';
import { documentUnreadable } from './documents/document-unreadable.ts';
import { schemaViolation } from './documents/schema-violation.ts';
import { iconNotImage } from './icons/icon-not-image.ts';
import { explainedBy } from './rule.ts';

const BECAUSE =
  'A page or an error message is served instead of the file, and how that is served says nothing about the file';

/** For `supersededBy`: something else is served instead of the file (a login page, an error message of the store). */
export const NOT_THE_FILE = [
  explainedBy(documentUnreadable, BECAUSE, 'html-page', 'xml-error', 'text-message', 'program-message'),
  explainedBy(schemaViolation, BECAUSE, 'error-message'),
  explainedBy(iconNotImage, BECAUSE, 'html', 'xml', 'json', 'program-message'),
  explainedBy(artifactChecksumMismatch, BECAUSE, 'html-page', 'xml-error', 'json-error', 'program-message'),
];

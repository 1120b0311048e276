import { artifactChecksumMismatch } from './artifacts/artifact-checksum-mismatch.ts';
import { documentUnreadable } from './documents/document-unreadable.ts';
import { schemaViolation } from './documents/schema-violation.ts';
import { iconNotImage } from './icons/icon-not-image.ts';
import { withCauses } from './rule.ts';

/**
 * For `supersededBy`: something else is served instead of the file (a login page, an error message of the store). How
 * that is served says nothing about the file.
 */
export const NOT_THE_FILE = [
  ...withCauses(documentUnreadable, 'html-page', 'xml-error', 'text-message', 'program-message'),
  ...withCauses(schemaViolation, 'error-message'),
  ...withCauses(iconNotImage, 'html', 'xml', 'json', 'program-message'),
  ...withCauses(artifactChecksumMismatch, 'html-page', 'xml-error', 'json-error', 'program-message'),
];

/**
 * For `supersededBy`: the findings that something else is served in place of the file (a login page, an error message
 * of the store). How that is served says nothing about the file.
 */
export const NOT_THE_FILE: readonly string[] = [
  'document-unreadable html-page',
  'document-unreadable xml-error',
  'document-unreadable text-message',
  'document-unreadable program-message',
  'schema-violation error-message',
  'icon-not-image html',
  'icon-not-image xml',
  'icon-not-image json',
  'icon-not-image program-message',
  'artifact-checksum-mismatch html-page',
  'artifact-checksum-mismatch xml-error',
  'artifact-checksum-mismatch json-error',
  'artifact-checksum-mismatch program-message',
];

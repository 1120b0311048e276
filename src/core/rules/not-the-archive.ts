import { explainedBy } from './rule.ts';
import type { artifactChecksumMismatch } from './artifacts/artifact-checksum-mismatch.ts';

/** For `supersededBy` of rules about an archive: the bytes that were inspected are not those of the archive. */
export const NOT_THE_ARCHIVE = [
  explainedBy<typeof artifactChecksumMismatch>(
    'artifact-checksum-mismatch',
    'The archive was damaged or replaced on its way, so the bytes received say nothing about it',
    'empty-file',
    'html-page',
    'json-error',
    'xml-error',
    'program-message',
    'text',
    'git-lfs-pointer',
    'gzip-as-text',
    'line-ends-converted',
    'gzip-as-base64',
    'unpacked',
    'truncated',
    'bytes-before',
    'decoded-bytes-match',
    'compressed-twice',
    're-encoded',
  ),
  explainedBy<typeof artifactChecksumMismatch>(
    'artifact-checksum-mismatch',
    'Another file than the published one is served, and has to be replaced as a whole',
    'changed-since',
    'other-versions-artifact',
    'unstable-bytes',
  ),
];

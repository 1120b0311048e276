import { message } from '../../text/message.ts';
import { hostOrCache } from '../owners.ts';
import { contentCodings, DECODED_CODINGS } from '../../http/headers.ts';
import { finalHop, hostOf } from '../../http/probe.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { defineRule, explainedBy } from '../rule.ts';
import type { artifactChecksumMismatch } from '../artifacts/artifact-checksum-mismatch.ts';
import type { documentUnreadable } from '../documents/document-unreadable.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import type { iconNotImage } from '../icons/icon-not-image.ts';

const ENCODING = 'The file cannot be used because of its encoding, and that finding says how to correct it';

export const contentEncoded = defineRule({
  id: 'content-encoded',
  title: 'Content-Encoding that not all clients support',
  on: 'resource',
  needs: ['resource', 'web', 'answer'],
  severity: 'warning',
  spec: '7',
  symptom: 'by-resource',
  owner: hostOrCache,
  purge: 'last',
  supersededBy: [
    ...NOT_THE_FILE,
    explainedBy<typeof artifactChecksumMismatch>(
      'artifact-checksum-mismatch',
      ENCODING,
      'decoded-bytes-match',
      're-encoded',
      'compressed-twice',
      'unpacked',
      'inner-tar-listed',
    ),
    explainedBy<typeof documentUnreadable>('document-unreadable', ENCODING, 'gzip', 'zstd', 'not-utf8'),
    explainedBy<typeof iconNotImage>('icon-not-image', ENCODING, 'gzip', 'zstd', 'compress', 'unknown'),
  ],
  causes: {
    'unknown-coding': { title: 'Content-Encoding names a coding that not all clients support' },
    encoded: { title: 'An artifact has a Content-Encoding' },
  },
  failsWhen: 'an artifact has a Content-Encoding, or another file has one that not all clients support',
  why: 'Clients that decode it get bytes other than those that were hashed, and report a checksum mismatch. If only the decoded bytes match, artifact-checksum-mismatch reports that.',
  examples: {
    bad: `GET /echo-1.0.0.tar.gz

HTTP/1.1 200 OK
Content-Type: application/x-tar
Content-Encoding: gzip`,
    good: `GET /echo-1.0.0.tar.gz

HTTP/1.1 200 OK
Content-Type: application/gzip`,
  },
  check({ resource, answer }) {
    const hop = finalHop(answer);
    const list = contentCodings(hop.headers);
    if (list.length === 0) return null;
    const unknown = list.filter((coding) => !DECODED_CODINGS.has(coding));
    const coding = list.join(', ');
    if (resource !== 'artifact' && unknown.length === 0) return null;
    return {
      cause: unknown.length > 0 ? 'unknown-coding' : 'encoded',
      message:
        resource === 'artifact'
          ? message`${hostOf(hop.url)} sends the artifact with Content-Encoding: ${coding}; clients that decode the bytes as sent get other bytes than those that were hashed.`
          : message`${hostOf(hop.url)} sends the ${resourceName(resource)} with Content-Encoding: ${coding}, which ${list.includes('identity') ? 'combines identity with another coding: browsers then decode nothing, other clients do' : 'not all clients support'}.`,
      advice:
        resource === 'artifact'
          ? message`Remove the Content-Encoding from the stored file, and exclude .gz from compression by the server.`
          : message`Remove the Content-Encoding from the stored file, or use gzip for clients that accept it.`,
      evidence: { contentEncoding: coding },
      dedupeKey: `${resource} ${hostOf(hop.url)} ${coding}`,
    };
  },
});

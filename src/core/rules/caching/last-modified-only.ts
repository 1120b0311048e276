import { message } from '../../text/message.ts';
import { headerValue, httpDate } from '../../http/headers.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { finalHop, hostOf } from '../../http/probe.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';

export const lastModifiedOnly = defineRule({
  id: 'last-modified-only',
  title: 'JSON file without an ETag',
  on: 'resource',
  needs: ['resource', 'web', 'answer'],
  // Most hosts of this kind never publish twice within the second of a fetch.
  severity: 'note',
  spec: null,
  symptom: 'registry-does-not-refresh',
  owner: 'host',
  supersededBy: NOT_THE_FILE,
  failsWhen: 'a JSON file is sent with Last-Modified, but without an ETag',
  why: 'The date has a resolution of one second: a client that fetched the file between two changes within one second gets 304 from then on.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 200 OK
Last-Modified: Fri, 20 Nov 2026 08:00:00 GMT`,
    good: `GET /registry.json

HTTP/1.1 200 OK
Last-Modified: Fri, 20 Nov 2026 08:00:00 GMT
ETag: "v1"`,
  },
  check({ resource, answer }) {
    if (resource !== 'manifest' && resource !== 'metadata') return null;
    const { headers, url } = finalHop(answer);
    const date = headerValue(headers, 'last-modified');
    if (headerValue(headers, 'etag') !== null || httpDate(date) === null) return null;
    return {
      message: message`${hostOf(url)} sends the ${resourceName(resource)} with Last-Modified only, which cannot distinguish two changes within one second.`,
      advice: message`Also send an ETag that is derived from the content.`,
      evidence: { lastModified: date },
      dedupeKey: hostOf(url),
    };
  },
});

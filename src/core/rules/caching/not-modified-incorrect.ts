import { message } from '../../text/message.ts';
import { hostOrCache } from '../owners.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { finalHop, hostOf, statusOf } from '../../http/probe.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';

export const notModifiedIncorrect = defineRule({
  id: 'not-modified-incorrect',
  title: 'Incorrect 304 (Not Modified) response',
  on: 'resource',
  needs: ['resource', 'answer', 'conditional'],
  severity: 'error',
  spec: '8',
  symptom: 'registry-does-not-refresh',
  owner: hostOrCache,
  purge: 'last',
  supersededBy: NOT_THE_FILE,
  causes: {
    etag: { title: '304 for an ETag that was never issued' },
    date: { title: '304 for a date before the last change' },
  },
  failsWhen:
    'a host responds with 304 (Not Modified) to a request with an ETag that it never issued, or with a date before the last change',
  why: 'The service then keeps its old copy, and never gets what is published later.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 200 OK
ETag: "v1"

GET /registry.json
If-None-Match: "never-issued"

HTTP/1.1 304 Not Modified`,
    good: `GET /registry.json

HTTP/1.1 200 OK
ETag: "v1"

GET /registry.json
If-None-Match: "never-issued"

HTTP/1.1 200 OK
ETag: "v1"`,
  },
  check({ resource, conditional }) {
    for (const { condition, fabricated, probe } of conditional) {
      if (!fabricated || probe.failure !== null || statusOf(probe) !== 304) continue;
      const { url } = finalHop(probe);
      const [name, value] = condition;
      const tag = name === 'if-none-match';
      return {
        cause: tag ? 'etag' : 'date',
        message: message`${hostOf(url)} responds with 304 (Not Modified) for the ${resourceName(resource)} to a client that ${tag ? 'sends an ETag that was never issued' : 'has a copy older than the last change'}.`,
        advice: message`Configure the host to compare ${tag ? 'If-None-Match with the ETag of the stored file' : 'If-Modified-Since with Last-Modified of the stored file'}, or to always respond with 200. If a cache causes this, purge it.`,
        evidence: { requested: url, sent: `${name}: ${value}`, status: 304 },
        dedupeKey: hostOf(url),
      };
    }
    return null;
  },
});

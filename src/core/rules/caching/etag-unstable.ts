import { message } from '../../text/message.ts';
import { headerValue } from '../../http/headers.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { finalHop, hostOf, lastHop } from '../../http/probe.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';

export const etagUnstable = defineRule({
  id: 'etag-unstable',
  title: 'ETag that changes although the file does not',
  on: 'resource',
  needs: ['resource', 'answer', 'conditional'],
  severity: 'warning',
  spec: null,
  symptom: 'registry-does-not-refresh',
  owner: 'host',
  supersededBy: NOT_THE_FILE,
  failsWhen: 'a JSON file is sent with a different ETag each time, for the same bytes',
  why: 'Conditional requests never get a 304, so every hourly check of every subscriber downloads the whole file.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 200 OK
ETag: "v1"

{ "apps": {} }

GET /registry.json
If-None-Match: "v1"

HTTP/1.1 200 OK
ETag: "v2"

{ "apps": {} }`,
    good: `GET /registry.json

HTTP/1.1 200 OK
ETag: "v1"

{ "apps": {} }

GET /registry.json
If-None-Match: "v1"

HTTP/1.1 304 Not Modified
ETag: "v1"`,
  },
  check({ resource, answer, conditional }) {
    for (const { condition, fabricated, probe, sameBytes } of conditional) {
      const hop = lastHop(probe);
      if (fabricated || !hop || sameBytes !== true || hop.url !== finalHop(answer).url) continue;
      const now = headerValue(hop.headers, 'etag');
      if (now === null || opaque(now) === opaque(condition[1])) continue;
      return {
        message: message`${hostOf(hop.url)} sends the ${resourceName(resource)} with a different ETag each time, for the same bytes (${condition[1]}, then ${now}).`,
        advice: message`Derive the ETag only from the content, not from an inode, node name or time; all servers behind the address must agree.`,
        evidence: { first: condition[1], second: now },
        dedupeKey: hostOf(hop.url),
      };
    }
    return null;
  },
});

/** Weak or not, the opaque tag is compared (RFC 9110 section 13.1.2). */
function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}

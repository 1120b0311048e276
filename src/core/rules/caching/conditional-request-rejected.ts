import { message } from '../../text/message.ts';
import { headerValue } from '../../http/headers.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import type { Probe } from '../../facts/facts.ts';
import { finalHop, hostOf, isAnswered, isTransportFailure, lastHop, statusOf } from '../../http/probe.ts';
import { unanswered } from '../../http/repeated-probes.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';

export const conditionalRequestRejected = defineRule({
  id: 'conditional-request-rejected',
  title: 'Conditional requests rejected by the host',
  on: 'resource',
  needs: ['resource', 'answer', 'conditional'],
  severity: 'warning',
  spec: null,
  symptom: 'registry-does-not-refresh',
  owner: 'host',
  supersededBy: NOT_THE_FILE,
  causes: {
    failed: { title: 'The conditional request gets no response' },
    'status-*': { title: 'The conditional request gets this status' },
  },
  failsWhen: 'a plain GET succeeds, but a conditional one (If-None-Match, If-Modified-Since) fails',
  why: 'Clients that store a copy send conditional requests from the second request on, so they get the registry only once.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 200 OK
ETag: "v1"

GET /registry.json
If-None-Match: "v1"

HTTP/1.1 412 Precondition Failed`,
    good: `GET /registry.json

HTTP/1.1 200 OK
ETag: "v1"

GET /registry.json
If-None-Match: "v1"

HTTP/1.1 304 Not Modified`,
  },
  check({ resource, answer, conditional }) {
    for (const { condition, probe } of conditional) {
      const status = statusOf(probe);
      // An unknown origin may be refused for other reasons, and a client that sends too many requests temporarily.
      if (probe.origin !== null || isAnswered(probe) || status === 429 || status === 503) continue;
      if (probe.failure === null && status === 304) continue;
      // Clients do not send a tag if none was issued.
      if (condition[0] === 'if-none-match' && headerValue(finalHop(answer).headers, 'etag') === null) continue;
      const url = lastHop(probe)?.url ?? finalHop(answer).url;
      const how = probe.failure ? howFailed(probe, probe.failure.code) : `gets status ${status}`;
      const name = condition[0] === 'if-none-match' ? 'If-None-Match' : 'If-Modified-Since';
      return {
        cause: probe.failure ? 'failed' : `status-${status}`,
        message: message`GET of the ${resourceName(resource)} with ${name} ${how}, while a plain GET gets status ${statusOf(answer)}.`,
        advice: message`Configure ${hostOf(url)} to respond with 304 if nothing has changed, and 200 otherwise.`,
        evidence: { sent: condition.join(': '), status: status || null, code: probe.failure?.code ?? null },
        dedupeKey: hostOf(url),
      };
    }
    return null;
  },
});

/** @param code of its failure */
function howFailed(probe: Probe, code: string): string {
  return isTransportFailure(probe) ? `is never answered (${unanswered(code)})` : `fails (${code})`;
}

import { message } from '../../text/message.ts';
import { headerValue } from '../../http/headers.ts';
import type { Hop, HttpViews } from '../../facts/facts.ts';
import { dependenceOf, isOther, isRefusal } from '../../http/header-probes.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { finalHop, hostOf, isAnswered, isTransportFailure, statusOf } from '../../http/probe.ts';
import { unanswered } from '../../http/repeated-probes.ts';
import { defineRule, explainedBy } from '../rule.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import type { artifactChecksumMismatch } from '../artifacts/artifact-checksum-mismatch.ts';

export const headRefused = defineRule({
  id: 'head-refused',
  title: 'HEAD response that differs from GET',
  on: 'resource',
  needs: ['resource', 'web', 'answer', 'head'],
  severity: 'warning',
  spec: '4.1',
  symptom: 'by-resource',
  owner: 'host',
  supersededBy: [
    ...NOT_THE_FILE,
    {
      ...explainedBy<typeof artifactChecksumMismatch>(
        'artifact-checksum-mismatch',
        'GET itself got an incomplete or changing file, so its length and ETag say nothing about HEAD',
        'truncated',
        'unstable-bytes',
        'intermittent',
      ),
      only: ['content-length-differs', 'etag-differs'],
    },
  ],
  causes: {
    failed: { title: 'HEAD gets no response' },
    'status-*': { title: 'HEAD gets this status' },
    'content-length-differs': { title: 'HEAD and GET have different Content-Length values' },
    'etag-differs': { title: 'HEAD and GET have different ETags' },
  },
  failsWhen: 'the response to HEAD differs from the one to GET',
  why: 'Registry hosts allow GET and HEAD; clients that send HEAD first treat a refused HEAD as a missing file.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 200 OK

HEAD /registry.json

HTTP/1.1 405 Method Not Allowed`,
    good: `GET /registry.json

HTTP/1.1 200 OK

HEAD /registry.json

HTTP/1.1 200 OK`,
  },
  check({ resource, web, answer, head }) {
    if (head === null) return null;
    const got = finalHop(answer);
    // A signed URL is signed for one method, so its HEAD is refused by design.
    if (answer.hops.some((hop) => /[?&](x-amz-signature|x-goog-signature|signature|sig)=/i.test(hop.url))) return null;
    const once = `${resource} ${hostOf(got.url)}`;
    const status = statusOf(head);
    if (status === 429 || status === 503) return null;
    // If GET itself is intermittent, the response to HEAD says nothing about the method.
    const dependence = dependenceOf(web);
    if (dependence?.on === 'intermittent') return null;
    if (!isAnswered(head)) {
      // If a page's GET is refused as well, the method is not the reason.
      if (web.browser.some((probe) => probe.origin === head.origin && isOther(probe) && isRefusal(probe))) return null;
      const isUnanswered = isTransportFailure(head);
      const how = head.failure ? `fails (${head.failure.code})` : `gets status ${status}`;
      return {
        cause: head.failure ? 'failed' : `status-${status}`,
        message: isUnanswered
          ? message`${hostOf(got.url)} does not answer HEAD for the ${resourceName(resource)}: ${unanswered(head.failure?.code ?? null)}, repeatedly, while GET requests are answered.`
          : message`HEAD of the ${resourceName(resource)} ${how}, while GET gets status ${got.status}.`,
        advice: isUnanswered
          ? message`Find the firewall, proxy or server that drops HEAD requests, and let them through.`
          : message`Allow HEAD for all files.`,
        evidence: { get: got.status, head: status || null, code: head.failure?.code ?? null },
        // A host that drops HEAD drops it for every file, and is then asked only once.
        dedupeKey: isUnanswered ? hostOf(got.url) : once,
      };
    }
    if (dependence?.on === 'changed' || dependence?.on === 'each-time') return null;
    const other = finalHop(head);
    for (const name of ['content-length', 'etag'] as const) {
      const inGet = named(got, name);
      const inHead = named(other, name);
      if (inGet === null || inHead === null || inGet === inHead) continue;
      // Lengths are only comparable in the same coding.
      if (headerValue(got.headers, 'content-encoding') !== headerValue(other.headers, 'content-encoding')) continue;
      // A value that differs between GETs says nothing about HEAD: it was just published, or is generated for each
      // request.
      if (otherGets(web, got).some((hop) => (named(hop, name) ?? inGet) !== inGet)) continue;
      return {
        cause: `${name}-differs`,
        message: message`HEAD of the ${resourceName(resource)} gets a different ${name === 'etag' ? 'ETag' : 'Content-Length'} than GET: ${inHead} instead of ${inGet}.`,
        advice: message`Serve both methods from the same file on the same server.`,
        evidence: { get: inGet, head: inHead },
        dedupeKey: once,
      };
    }
    return null;
  },
});

function named(hop: Hop, name: string): string | null {
  return headerValue(hop.headers, name)?.replace(/^W\//, '') ?? null;
}

/** The complete responses to the same GET in the same coding. */
function otherGets({ browser, headerProbes: probes = [] }: HttpViews, got: Hop): Hop[] {
  return [...browser, ...probes.map(({ probe }) => probe)].flatMap((probe) => {
    const hop = finalHop(probe);
    const isComplete = statusOf(probe) === 200 && !probe.failure;
    return isComplete && named(hop, 'content-encoding') === named(got, 'content-encoding') ? [hop] : [];
  });
}

import { message } from '../../text/message.ts';
import { isUnanswered } from '../../http/repeated-probes.ts';
import { hostOf } from '../../http/probe.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { defineRule } from '../rule.ts';

export const rangeRequestUnanswered = defineRule({
  id: 'range-request-unanswered',
  title: 'Range requests that the host does not answer',
  on: 'resource',
  needs: ['resource', 'web', 'answer'],
  severity: 'note',
  spec: null,
  symptom: null,
  owner: 'host',
  supersededBy: NOT_THE_FILE,
  failsWhen: 'a plain GET of an artifact is answered, but one with a Range never is, and neither is its repetition',
  why: 'A host may ignore Range and send the whole file. If it drops such requests, clients that resume a download wait until their timeout.',
  examples: {
    bad: `GET /echo-1.0.0.tar.gz

HTTP/1.1 200 OK

GET /echo-1.0.0.tar.gz
Range: bytes=0-0`,
    good: `GET /echo-1.0.0.tar.gz

HTTP/1.1 200 OK

GET /echo-1.0.0.tar.gz
Range: bytes=0-0

HTTP/1.1 206 Partial Content
Content-Range: bytes 0-0/72`,
  },
  check({ resource, web }) {
    const repeated = (web.repeatedProbes ?? []).find((one) => one.of === 'range' && isUnanswered(one));
    if (repeated === undefined) return null;
    const host = hostOf(repeated.url);
    return {
      message: message`${host} does not answer GET requests with a Range for the ${resourceName(resource)}, repeatedly, while requests without one are answered.`,
      advice: message`Find the firewall, proxy or server that drops requests with a Range, and let them through, or respond with the whole file.`,
      evidence: { requested: repeated.url, plain: repeated.plain.join(', '), repeated: repeated.same.join(', ') },
      dedupeKey: host,
    };
  },
});

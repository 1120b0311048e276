import { message } from '../../text/message.ts';
import { hostOrCopy } from '../owners.ts';
import { bothContents, comparedAnswers, copyEvidence, isCompressedTwice, isPage } from '../../http/copies.ts';
import type { ComparedBody, HeaderGroup, ResourceKind, Probe, HttpViews } from '../../facts/facts.ts';
import { type Dependence, dependenceOf } from '../../http/header-probes.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { finalHop, hostOf } from '../../http/probe.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, explainedBy, type Problem } from '../rule.ts';
import type { compressedCopyDiffers } from './compressed-copy-differs.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import type { compressedCopyUnreadable } from './compressed-copy-unreadable.ts';

const CAUSES = {
  'each-time': { title: 'Each response has different content' },
  intermittent: { title: 'The responses alternate between two contents' },
  origin: { title: 'The content depends on Origin or Referer' },
  'fetch-metadata': { title: 'The content depends on Sec-Fetch headers' },
  encoding: { title: 'The content depends on Accept-Encoding' },
  agent: { title: 'The content depends on User-Agent' },
  browser: { title: 'Browsers get different content' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const answersDiffer = defineRule({
  id: 'answers-differ',
  title: 'Different responses for one URL',
  on: 'resource',
  needs: ['resource', 'web', 'answer'],
  severity: 'warning',
  spec: null,
  symptom: 'by-resource',
  owner: hostOrCopy,
  supersededBy: [
    ...NOT_THE_FILE,
    {
      ...explainedBy<typeof compressedCopyDiffers>(
        'compressed-copy-differs',
        'The different content is that of the compressed copy',
      ),
      only: ['encoding'],
    },
    {
      ...explainedBy<typeof compressedCopyUnreadable>(
        'compressed-copy-unreadable',
        'The different content is that of the copy that cannot be read',
      ),
      only: ['encoding'],
    },
  ],
  causes: CAUSES,
  failsWhen:
    'two requests for one URL in short succession return different content: servers have different states, or the content depends on the request’s origin or client. A file that was replaced in between is not a finding',
  why: 'Subscribers get one or the other, which may not be what was checked here.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 200 OK

{ "apps": { "echo": { "appMetadataUrl": "https://apps.example.com/echo.json" } } }

GET /registry.json
User-Agent: Mozilla/5.0

HTTP/1.1 200 OK

{ "apps": {} }`,
    good: `GET /registry.json

HTTP/1.1 200 OK

{ "apps": { "echo": { "appMetadataUrl": "https://apps.example.com/echo.json" } } }

GET /registry.json
User-Agent: Mozilla/5.0

HTTP/1.1 200 OK

{ "apps": { "echo": { "appMetadataUrl": "https://apps.example.com/echo.json" } } }`,
  },
  check({ resource, web, answer }) {
    const dependence = dependenceOf(web);
    if (dependence === null || dependence.on === 'changed') return null;
    const other = otherContent(web, dependence);
    return other === undefined ? null : differing(resource, answer, other, dependence);
  },
});

/** A response with other content. If contents alternate, possibly only the header probes received it. */
function otherContent(web: HttpViews, { on }: Dependence): { probe: Probe; copy: ComparedBody } | undefined {
  const probes = on === 'intermittent' ? (web.headerProbes ?? []).map(({ probe }) => probe) : [];
  return comparedAnswers({ ...web, browser: [...web.browser, ...probes] }).find(
    ({ copy }) => !copy.same && !isCompressedTwice(copy) && (on === 'intermittent' || !isPage(copy)),
  );
}

const CLIENTS: Readonly<Record<HeaderGroup | 'browser', string>> = {
  origin: 'requests with an Origin or Referer',
  'fetch-metadata': 'requests with Sec-Fetch headers, as browsers send them',
  encoding: 'clients that accept compression',
  agent: 'requests with a browser’s User-Agent',
  browser: 'browsers',
};

function differing(
  resource: ResourceKind,
  answer: Probe,
  { probe, copy }: { probe: Probe; copy: ComparedBody },
  dependence: Dependence,
): Problem<Cause> | null {
  const host = hostOf(finalHop(probe).url);
  const evidence = copyEvidence(answer, copy, probe);
  const contents = bothContents(answer, copy, probe);
  if (dependence.on === 'each-time')
    return {
      severity: 'note',
      cause: 'each-time',
      message: message`${host} sends different content in every response for the ${resourceName(resource)}, for example ${contents}.`,
      advice: message`Serve a file that changes only when something is published, so that caches and ETags work.`,
      evidence,
      dedupeKey: `each-time ${resource} ${host}`,
    };
  if (dependence.on === 'intermittent')
    return {
      cause: 'intermittent',
      message: message`${host} sends two versions of the ${resourceName(resource)} alternately: ${contents}.`,
      advice: message`Bring all servers and caches behind the host to the same state: deploy to all of them, and purge the caches.`,
      evidence,
      dedupeKey: `intermittent ${host}`,
    };
  const cause = (dependence.on === 'headers' ? dependence.groups[0] : undefined) ?? 'browser';
  return {
    cause,
    message: message`${host} sends a different ${resourceName(resource)} to ${CLIENTS[cause]}: ${contents}${kindOf(copy)}.`,
    advice: message`Serve the same file for all requests; if a cache or firewall in front of the host causes the difference, correct that.`,
    evidence,
    dedupeKey: `${cause} ${resource} ${host}`,
  };
}

function kindOf({ decoded }: ComparedBody): string {
  return decoded === null || decoded.kind === 'json' ? '' : ` (${decoded.kind})`;
}

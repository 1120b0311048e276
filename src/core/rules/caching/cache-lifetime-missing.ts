import { message } from '../../text/message.ts';
import { freshness } from '../../http/cache.ts';
import { answersToAll } from '../../http/answers.ts';
import type { Probe, ResourceKind } from '../../facts/facts.ts';
import { headerValue } from '../../http/headers.ts';
import { isAlternating } from '../../http/judged-headers.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { finalHop, hostOf } from '../../http/probe.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, explainedBy, type Problem } from '../rule.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import type { cacheLifetimeLong } from './cache-lifetime-long.ts';

const ADVICE = message`Send Cache-Control: public, max-age=300 with the JSON files.`;

const CAUSES = {
  malformed: { title: 'Cache-Control is malformed' },
  absent: { title: 'Cache-Control is missing' },
  'no-lifetime': { title: 'Cache-Control has no lifetime' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const cacheLifetimeMissing = defineRule({
  id: 'cache-lifetime-missing',
  title: 'JSON file without a cache lifetime',
  on: 'resource',
  needs: ['resource', 'web', 'answer', 'now'],
  severity: 'note',
  spec: '8',
  symptom: 'registry-does-not-refresh',
  owner: 'host',
  supersededBy: [
    ...NOT_THE_FILE,
    {
      ...explainedBy<typeof cacheLifetimeLong>(
        'cache-lifetime-long',
        'That finding names the Cache-Control to send, which sets a lifetime',
      ),
      only: ['absent', 'no-lifetime'],
    },
  ],
  causes: CAUSES,
  failsWhen:
    'a JSON file is sent without Cache-Control, or without a lifetime in it. A lifetime that is not a number is a warning',
  why: 'Caches then guess the lifetime, often as a tenth of the time since the last change: days for a file that rarely changes.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 200 OK
Content-Type: application/json`,
    good: `GET /registry.json

HTTP/1.1 200 OK
Content-Type: application/json
Cache-Control: public, max-age=300`,
  },
  check({ resource, web, now }) {
    if ((resource !== 'manifest' && resource !== 'metadata') || isAlternating(web, 'Cache-Control')) return null;
    const problems = answersToAll(web)
      .map((probe) => problemOf(resource, probe, now))
      .filter((problem) => problem !== null);
    return problems.find(({ severity }) => severity === 'warning') ?? problems[0];
  },
});

function problemOf(resource: ResourceKind, probe: Probe, now: string): Problem<Cause> | null {
  const hop = finalHop(probe);
  const { lifetime, malformed, heuristic } = freshness(hop, Date.parse(now));
  const value = headerValue(hop.headers, 'cache-control');
  const once = `${resource} ${hostOf(hop.url)}`;
  if (malformed.length > 0) {
    return {
      severity: 'warning',
      cause: 'malformed',
      message: message`Cache-Control of the ${resourceName(resource)} contains ${malformed.join(' and ')}, which clients interpret differently (${value ?? ''}).`,
      advice: ADVICE,
      evidence: { cacheControl: value },
      dedupeKey: once,
    };
  }
  if (lifetime !== null) return null;
  const guess =
    heuristic !== null && heuristic > 3600
      ? ` Based on its Last-Modified, a cache may store it for ${Math.round(heuristic / 3600)} hours.`
      : '';
  return {
    cause: value === null ? 'absent' : 'no-lifetime',
    message: message`The ${resourceName(resource)} is sent ${value === null ? 'without Cache-Control' : `with Cache-Control: ${value}, which sets no lifetime`}, so caches guess how long to store it.${guess}`,
    advice: ADVICE,
    evidence: {
      cacheControl: value,
      lastModified: headerValue(hop.headers, 'last-modified'),
      heuristicSeconds: heuristic,
    },
    dedupeKey: once,
  };
}

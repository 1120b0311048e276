import { freshness } from '../../http/cache.ts';
import { header } from '../../http/headers.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { hostOf, lastHop } from '../../http/probe.ts';
import { defineRule } from '../rule.ts';
import { cacheLifetimeLong } from './cache-lifetime-long.ts';

const ADVICE = 'Send Cache-Control: public, max-age=300 with the JSON files.';

export const cacheLifetimeMissing = defineRule({
  id: 'cache-lifetime-missing',
  on: 'resource',
  needs: ['role', 'web', 'answer', 'now'],
  severity: 'note',
  spec: '8',
  symptom: 'registry-does-not-refresh',
  owner: 'host',
  supersededBy: [...NOT_THE_FILE, cacheLifetimeLong],
  causes: {
    malformed: { title: 'Cache-Control is malformed' },
    absent: { title: 'Cache-Control is missing' },
    'no-lifetime': { title: 'Cache-Control has no lifetime' },
  },
  failsWhen:
    'a JSON file comes without Cache-Control, or with one that names no lifetime; a lifetime that is no number is a warning',
  why: 'Caches then guess, often a tenth of the time since the last change: days for a file that rests.',
  check({ role, answer, now }) {
    if (role !== 'manifest' && role !== 'metadata') return null;
    const hop = lastHop(answer)!;
    const { lifetime, malformed, heuristic } = freshness(hop, Date.parse(now));
    const value = header(hop.headers, 'cache-control');
    const once = `${role} ${hostOf(hop.url)}`;
    if (malformed.length > 0) {
      return {
        severity: 'warning',
        cause: 'malformed',
        message: `Cache-Control of the ${role} says ${malformed.join(' and ')}, which clients read differently (${value}).`,
        advice: ADVICE,
        evidence: { cacheControl: value },
        dedupeKey: once,
      };
    }
    if (lifetime !== null) return null;
    const guess =
      heuristic !== null && heuristic > 3600
        ? ` By its Last-Modified a cache may hold it for ${Math.round(heuristic / 3600)} hours.`
        : '';
    return {
      cause: value === null ? 'absent' : 'no-lifetime',
      message: `The ${role} comes ${value === null ? 'without Cache-Control' : `with Cache-Control: ${value}, which names no lifetime`}, so caches guess how long to hold it.${guess}`,
      advice: ADVICE,
      evidence: {
        cacheControl: value,
        lastModified: header(hop.headers, 'last-modified'),
        heuristicSeconds: heuristic,
      },
      dedupeKey: once,
    };
  },
});

import { hostOrCache } from '../owners.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { hostOf, lastHop, statusOf } from '../../http/probe.ts';
import { defineRule } from '../rule.ts';

export const notModifiedIncorrect = defineRule({
  id: 'not-modified-incorrect',
  on: 'resource',
  needs: ['role', 'answer', 'conditional'],
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
    'a host answers 304 (not modified) to somebody who names an entity tag that it never issued, or a date before the last change',
  why: 'The service then keeps the copy that it has, whatever is published: the registry is frozen for it.',
  check({ role, conditional }) {
    for (const { condition, fabricated: madeUp, visit } of conditional) {
      if (!madeUp || visit.failure !== null || statusOf(visit) !== 304) continue;
      const { url } = lastHop(visit)!;
      const [name, value] = condition;
      const tag = name === 'if-none-match';
      return {
        cause: tag ? 'etag' : 'date',
        message: `${hostOf(url)} says that the ${role} is not modified (304) to whoever ${tag ? 'names an ETag that it never issued' : 'has a copy older than the last change'}.`,
        advice: `Compare ${tag ? 'If-None-Match with the ETag of the stored file' : 'If-Modified-Since with Last-Modified of the stored file'}, or answer 200 always; purge a cache that does it.`,
        evidence: { asked: url, sent: `${name}: ${value}`, status: 304 },
        dedupeKey: hostOf(url),
      };
    }
    return null;
  },
});

import { header } from '../../http/headers.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { hostOf, lastHop } from '../../http/probe.ts';
import { defineRule } from '../rule.ts';

export const etagUnstable = defineRule({
  id: 'etag-unstable',
  on: 'resource',
  needs: ['role', 'answer', 'conditional'],
  severity: 'warning',
  spec: null,
  symptom: 'registry-does-not-refresh',
  owner: 'host',
  supersededBy: NOT_THE_FILE,
  failsWhen: 'a JSON file comes with another ETag each time, for the same bytes',
  why: 'Nobody who asks whether it has changed is ever told that it has not; each hourly check takes the whole file, from every subscriber.',
  check({ role, answer, conditional }) {
    for (const { condition, fabricated: madeUp, visit, sameBytes } of conditional) {
      const hop = lastHop(visit);
      if (madeUp || !hop || sameBytes !== true || hop.url !== lastHop(answer)!.url) continue;
      const now = header(hop.headers, 'etag');
      if (now === null || opaque(now) === opaque(condition[1])) continue;
      return {
        message: `${hostOf(hop.url)} gives the ${role} another ETag each time, for the same bytes (${condition[1]}, then ${now}).`,
        advice:
          'Make the ETag from the content alone: no inode, node name or time of the answer in it; all servers behind the address must agree.',
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

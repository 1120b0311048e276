import { header, httpDate } from '../../http/headers.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { hostOf, lastHop } from '../../http/probe.ts';
import { defineRule } from '../rule.ts';

export const lastModifiedOnly = defineRule({
  id: 'last-modified-only',
  on: 'resource',
  needs: ['role', 'web', 'answer'],
  // Most hosts of this kind never publish twice within the second of a fetch.
  severity: 'note',
  spec: null,
  symptom: 'registry-does-not-refresh',
  owner: 'host',
  supersededBy: NOT_THE_FILE,
  failsWhen: 'a JSON file comes with Last-Modified and without an ETag',
  why: 'The date counts whole seconds: whoever fetched between two publishes of one second is told for ever that nothing has changed.',
  check({ role, answer }) {
    if (role !== 'manifest' && role !== 'metadata') return null;
    const { headers, url } = lastHop(answer)!;
    const date = header(headers, 'last-modified');
    if (header(headers, 'etag') !== null || httpDate(date) === null) return null;
    return {
      message: `${hostOf(url)} sends the ${role} with Last-Modified alone, which cannot tell two changes of one second apart.`,
      advice: 'Send an ETag made from the content as well.',
      evidence: { lastModified: date },
      dedupeKey: hostOf(url),
    };
  },
});

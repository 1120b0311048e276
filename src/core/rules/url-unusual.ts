import { urlOddity } from '../url.ts';
import { defineRule } from '../rule.ts';

export const urlUnusual = defineRule({
  id: 'url-unusual',
  on: 'url',
  needs: ['url', 'parsed'],
  severity: 'warning',
  spec: null,
  symptom: null,
  unless: ['url-malformed'],
  when: 'a URL works but is written in a way that clients treat differently: a fragment, a host that is not ASCII, characters to be escaped, a default port, dot segments',
  why: 'What one client fetches, another one may not; and a look-alike host is easily overlooked.',
  check({ url }) {
    const oddity = urlOddity(url);
    return oddity && { ...oddity, evidence: { url } };
  },
});

import { shorten } from '../text.ts';
import { defineRule } from '../rule.ts';

export const appWithdrawn = defineRule({
  id: 'app-withdrawn',
  on: 'manifest',
  needs: ['keys', 'earlierKeys', 'earlierSource'],
  severity: 'warning',
  spec: null,
  symptom: 'app-does-not-appear',
  when: 'an app that had been listed is no longer listed',
  why: 'It disappears for every subscriber, with all its versions.',
  check({ keys, earlierKeys, earlierSource }) {
    const listed = new Set(keys);
    return earlierKeys
      .filter((key) => !listed.has(key))
      .map((key) => ({
        message: `The app “${shorten(key, 80)}”, listed according to ${shorten(earlierSource, 100)}, is no longer listed.`,
        advice: 'List it again, unless it was withdrawn on purpose.',
        evidence: { app: key, earlier: earlierSource },
      }));
  },
});

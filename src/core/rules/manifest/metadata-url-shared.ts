import { pointerStep } from '../../json/pointer.ts';
import { shorten } from '../../text/text.ts';
import { sameAddress } from '../../http/url.ts';
import { defineRule } from '../rule.ts';

export const metadataUrlShared = defineRule({
  id: 'metadata-url-shared',
  on: 'manifest',
  needs: ['keys', 'metadataUrls'],
  severity: 'warning',
  spec: '2.1',
  symptom: 'app-does-not-appear',
  owner: 'author',
  failsWhen: 'two apps have the same metadata file',
  why: 'Both offer the same versions, so one of them is the wrong app: usually a copied line.',
  check({ keys, metadataUrls }) {
    const first = new Map<string, string>();
    const problems = [];
    for (let i = 0; i < keys.length; i++) {
      const text = metadataUrls[i]!;
      if (text === null) continue;
      const key = keys[i]!;
      const url = sameAddress(text);
      const other = first.get(url);
      if (other === undefined) first.set(url, key);
      else
        problems.push({
          at: `${pointerStep(key)}/appMetadataUrl`,
          message: `The apps “${shorten(other, 80)}” and “${shorten(key, 80)}” have the same metadata file.`,
          advice: 'Use a separate metadata file for each app.',
          evidence: { other },
        });
    }
    return problems;
  },
});

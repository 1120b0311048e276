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
  failsWhen: 'two apps name the same metadata file',
  why: 'Both offer the same versions, so one of them is not the app that its name promises: usually a copied line.',
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
          message: `The apps “${shorten(other, 80)}” and “${shorten(key, 80)}” name the same metadata file.`,
          advice: 'Give each app its own metadata file.',
          evidence: { other },
        });
    }
    return problems;
  },
});

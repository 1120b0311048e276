import { message } from '../../text/message.ts';
import { pointerStep } from '../../json/pointer.ts';
import { safeExcerpt } from '../../text/text.ts';
import { comparableUrl } from '../../url/url.ts';
import { defineRule, type Problem } from '../rule.ts';
import { isTemplate } from '../urls/placeholder/placeholder.ts';

export const metadataUrlShared = defineRule({
  id: 'metadata-url-shared',
  title: 'Two apps with the same metadata file',
  on: 'manifest',
  needs: ['keys', 'metadataUrls'],
  severity: 'warning',
  spec: '2.1',
  symptom: 'app-does-not-appear',
  owner: 'author',
  failsWhen: 'two apps have the same metadata file',
  why: 'Both offer the same versions, so one of them is the wrong app: usually a copied line.',
  examples: {
    bad: `{ "apps": {
  "echo": { "appMetadataUrl": "https://apps.example.com/echo.json" },
  "other": { "appMetadataUrl": "https://apps.example.com/echo.json" }
} }`,
    good: `{ "apps": {
  "echo": { "appMetadataUrl": "https://apps.example.com/echo.json" },
  "other": { "appMetadataUrl": "https://apps.example.com/other.json" }
} }`,
  },
  check({ keys, metadataUrls }) {
    const first = new Map<string, string>();
    const problems: Problem<never>[] = [];
    keys.forEach((key, i) => {
      const text = metadataUrls[i];
      // The same template for each app: url-placeholder reports it.
      if (text === null || text === undefined || isTemplate(text)) return;
      const url = comparableUrl(text);
      const other = first.get(url);
      if (other === undefined) first.set(url, key);
      else
        problems.push({
          at: `${pointerStep(key)}/appMetadataUrl`,
          message: message`The apps “${safeExcerpt(other, 80)}” and “${safeExcerpt(key, 80)}” have the same metadata file.`,
          advice: message`Use a separate metadata file for each app.`,
          evidence: { other },
        });
    });
    return problems;
  },
});

import { message } from '../../text/message.ts';
import { pointerStep } from '../../json/pointer.ts';
import { safeExcerpt } from '../../text/text.ts';
import { defineRule } from '../rule.ts';

export const appKeyAmbiguous = defineRule({
  id: 'app-key-ambiguous',
  title: 'App keys that are too similar',
  on: 'manifest',
  needs: ['keys'],
  severity: 'warning',
  spec: null,
  symptom: null,
  owner: 'author',
  failsWhen: 'two app keys differ only in case, or only in `-` and `_`',
  why: 'They are the same file or folder on many file systems, and people confuse them.',
  examples: {
    bad: `{ "apps": {
  "echo-app": { "appMetadataUrl": "https://apps.example.com/echo.json" },
  "echo_app": { "appMetadataUrl": "https://apps.example.com/other.json" }
} }`,
    good: `{ "apps": {
  "echo-app": { "appMetadataUrl": "https://apps.example.com/echo.json" },
  "other-app": { "appMetadataUrl": "https://apps.example.com/other.json" }
} }`,
  },
  check({ keys }) {
    const first = new Map<string, string>();
    const problems = [];
    for (const key of keys) {
      const folded = key.toLowerCase().replaceAll('_', '-');
      const other = first.get(folded);
      if (other === undefined) first.set(folded, key);
      else
        problems.push({
          at: pointerStep(key),
          onName: true,
          message: message`The app keys “${safeExcerpt(other, 80)}” and “${safeExcerpt(key, 80)}” are hard to tell apart.`,
          advice: message`Rename the one that is not published yet.`,
          evidence: { other },
        });
    }
    return problems;
  },
});

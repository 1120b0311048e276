import { message } from '../../text/message.ts';
import { authorOrCopy } from '../owners.ts';
import { safeExcerpt } from '../../text/text.ts';
import { defineRule } from '../rule.ts';

export const appWithdrawn = defineRule({
  id: 'app-withdrawn',
  title: 'Published app that is no longer listed',
  on: 'manifest',
  needs: ['keys', 'earlierKeys', 'earlierSource'],
  severity: 'warning',
  worstSeverity: 'error',
  spec: null,
  symptom: 'app-does-not-appear',
  owner: authorOrCopy,
  immutability: true,
  causes: {
    renamed: { title: 'The app was probably renamed' },
    'no-app-left': { title: 'The manifest lists no app any more' },
  },
  failsWhen: 'a published app is no longer listed. It is an error if none is listed any more',
  why: 'It disappears for all subscribers, with all its versions.',
  examples: {
    bad: `// published: echo other
{ "apps": {
  "echo": { "appMetadataUrl": "https://apps.example.com/echo.json" }
} }`,
    good: `// published: echo other
{ "apps": {
  "echo": { "appMetadataUrl": "https://apps.example.com/echo.json" },
  "other": { "appMetadataUrl": "https://apps.example.com/other.json" }
} }`,
  },
  check({ keys, earlierKeys, earlierSource }) {
    const listed = new Set(keys);
    const before = new Set(earlierKeys);
    const added = new Map(keys.filter((key) => !before.has(key)).map((key) => [plain(key), key]));
    return earlierKeys
      .filter((key) => !listed.has(key))
      .map((key) => {
        const renamed = added.get(plain(key)) ?? null;
        return {
          ...(renamed === null ? {} : { cause: 'renamed' }),
          ...(keys.length === 0 && { cause: 'no-app-left', severity: 'error' }),
          message: message`The app “${safeExcerpt(key, 80)}” was listed in ${safeExcerpt(earlierSource, 100)}, and is no longer listed${
            renamed === null
              ? '.'
              : `; “${safeExcerpt(renamed, 80)}” is listed instead, which is a different app for subscribers.`
          }`,
          advice:
            renamed === null
              ? message`List it again, unless it was withdrawn intentionally.`
              : message`Keep the previous key, which identifies the app for subscribers. To change the displayed name, change "name".`,
          app: key,
          evidence: { app: key, earlier: earlierSource, ...(renamed === null ? {} : { renamed }) },
        };
      });
  },
});

/** Equal for keys that differ only in case and separators. */
function plain(key: string): string {
  return key.toLowerCase().replace(/[-_]/g, '');
}

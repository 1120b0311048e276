import { message } from '../../text/message.ts';
import { isSafeKey, safeKeyFor } from '../../registry/app-key.ts';
import { printable, safeExcerpt } from '../../text/text.ts';
import { defineRule } from '../rule.ts';

export const appKeyUnsafe = defineRule({
  id: 'app-key-unsafe',
  title: 'App key that is not URL-safe',
  on: 'app',
  needs: ['key'],
  severity: 'error',
  spec: '2.1',
  symptom: 'app-does-not-appear',
  owner: 'author',
  hidesApp: true,
  hiddenReason: 'Its key is not URL-safe.',
  failsWhen: 'an app key has characters other than letters, digits, `-` and `_`, or is empty',
  why: 'The key is used in URLs; the service does not show an app whose key is not URL-safe.',
  examples: {
    bad: `"my app": {
  "name": "Echo",
  "description": "Repeats what it receives.",
  "blockStyle": { "iconUrl": "https://apps.example.com/echo.svg", "color": "#1a73e8" },
  "appMetadataUrl": "https://apps.example.com/echo.json"
}`,
    good: `"my-app": {
  "name": "Echo",
  "description": "Repeats what it receives.",
  "blockStyle": { "iconUrl": "https://apps.example.com/echo.svg", "color": "#1a73e8" },
  "appMetadataUrl": "https://apps.example.com/echo.json"
}`,
  },
  check({ key }) {
    if (isSafeKey(key)) return null;
    const better = safeKeyFor(key);
    return {
      onName: true,
      message:
        key === '' ? message`The app key is empty.` : message`The app key “${safeExcerpt(key, 80)}” is not URL-safe.`,
      advice: better
        ? message`Use only letters, digits, "-" and "_", for example "${better}".`
        : message`Use only letters, digits, "-" and "_".`,
      evidence: { key: printable(key) },
    };
  },
});

import { message } from '../../text/message.ts';
import { defineRule } from '../rule.ts';

export const appKeyUnportable = defineRule({
  id: 'app-key-unportable',
  title: 'App key that not all file systems accept',
  on: 'app',
  needs: ['key'],
  severity: 'warning',
  spec: null,
  symptom: null,
  owner: 'author',
  causes: {
    'device-name': { title: 'The key is a device name on Windows' },
    length: { title: 'The key is longer than 64 characters' },
  },
  failsWhen: 'an app key is a device name on Windows (`con`, `nul`, `com1` …) or longer than 64 characters',
  why: 'Tools name files and folders after app keys; such names are not possible on all systems.',
  examples: {
    bad: `"nul": {
  "name": "Echo",
  "description": "Repeats what it receives.",
  "blockStyle": { "iconUrl": "https://apps.example.com/echo.svg", "color": "#1a73e8" },
  "appMetadataUrl": "https://apps.example.com/echo.json"
}`,
    good: `"null-app": {
  "name": "Echo",
  "description": "Repeats what it receives.",
  "blockStyle": { "iconUrl": "https://apps.example.com/echo.svg", "color": "#1a73e8" },
  "appMetadataUrl": "https://apps.example.com/echo.json"
}`,
  },
  check({ key }) {
    if (/^(con|prn|aux|nul|com\d|lpt\d)$/i.test(key))
      return {
        cause: 'device-name',
        onName: true,
        message: message`The app key “${key}” is the name of a device on Windows.`,
        advice: message`Choose another key before the first version is published.`,
      };
    if (key.length > 64)
      return {
        cause: 'length',
        onName: true,
        message: message`The app key has ${key.length} characters.`,
        advice: message`Choose a key of at most 64 characters before the first version is published.`,
        evidence: { length: key.length },
      };
    return null;
  },
});

import { message } from '../../text/message.ts';
import { authorOrCopy } from '../owners.ts';
import { defineRule } from '../rule.ts';

export const noApps = defineRule({
  id: 'no-apps',
  title: 'Manifest without apps',
  on: 'manifest',
  needs: ['keys'],
  severity: 'note',
  spec: '2.1',
  symptom: null,
  owner: authorOrCopy,
  failsWhen: '`apps` is empty',
  why: 'The registry is valid, but empty for subscribers.',
  examples: {
    bad: '{ "apps": {} }',
    good: `{ "apps": {
  "echo": { "appMetadataUrl": "https://apps.example.com/echo.json" }
} }`,
  },
  check({ keys }) {
    if (keys.length > 0) return null;
    return { message: message`The registry lists no apps.`, advice: message`Add one: appreg add-app <key>` };
  },
});

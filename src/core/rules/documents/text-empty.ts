import { message } from '../../text/message.ts';
import { isBlank } from '../../text/text.ts';
import { defineRule } from '../rule.ts';

export const textEmpty = defineRule({
  id: 'text-empty',
  title: 'Empty name or description',
  on: 'app',
  needs: ['name', 'description'],
  severity: 'warning',
  spec: '2.1',
  symptom: null,
  owner: 'author',
  failsWhen: 'the `name` or `description` of an app is empty or blank',
  why: 'Subscribers choose apps by these two texts.',
  examples: {
    bad: `"echo": {
  "name": "Echo",
  "description": " ",
  "blockStyle": { "iconUrl": "https://apps.example.com/echo.svg", "color": "#1a73e8" },
  "appMetadataUrl": "https://apps.example.com/echo.json"
}`,
    good: `"echo": {
  "name": "Echo",
  "description": "Repeats what it receives.",
  "blockStyle": { "iconUrl": "https://apps.example.com/echo.svg", "color": "#1a73e8" },
  "appMetadataUrl": "https://apps.example.com/echo.json"
}`,
  },
  check({ name, description }) {
    const problems = [];
    for (const [field, text] of [
      ['name', name],
      ['description', description],
    ] as const) {
      if (!isBlank(text)) continue;
      problems.push({
        at: `/${field}`,
        message: message`The ${field} is ${text === '' ? 'empty' : 'blank'}.`,
        advice:
          field === 'name'
            ? message`Write the display name of the app.`
            : message`Describe in one sentence what the app does.`,
      });
    }
    return problems;
  },
});

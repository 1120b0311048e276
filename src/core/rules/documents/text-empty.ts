import { pointerTo } from '../../json/pointer.ts';
import { message } from '../../text/message.ts';
import { isBlank } from '../../text/text.ts';
import { defineRule } from '../rule.ts';

export const textEmpty = defineRule({
  id: 'text-empty',
  title: 'Empty name or description',
  on: 'app',
  needs: ['texts'],
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
  check({ texts }) {
    return texts
      .filter(({ text }) => isBlank(text))
      .map(({ field: { name, at, advice }, text }) => ({
        at: pointerTo(...at),
        message: message`The ${name} is ${text === '' ? 'empty' : 'blank'}.`,
        advice: message`${advice ?? `Write the ${name} of the app, or remove the field.`}`,
      }));
  },
});

import { pointerTo } from '../../json/pointer.ts';
import { message } from '../../text/message.ts';
import { hasUnprintable, isBlank, safeExcerpt } from '../../text/text.ts';
import { defineRule } from '../rule.ts';

export const textUnprintable = defineRule({
  id: 'text-unprintable',
  title: 'Invisible characters in a name or description',
  on: 'app',
  needs: ['texts'],
  severity: 'warning',
  spec: null,
  symptom: null,
  owner: 'author',
  failsWhen: 'the `name` or `description` of an app contains control, bidirectional or invisible characters',
  why: 'They can make one app look like another, or garble a page, a terminal or a log.',
  examples: {
    bad: `"echo": {
  "name": "Echo\u202e",
  "description": "Repeats what it receives.",
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
    const problems = [];
    for (const { field, text } of texts) {
      if (!hasUnprintable(text)) continue;
      // Line breaks in a description, and the joiners inside emoji and in scripts that need them, are legitimate.
      const plain = text
        .replace(field.multiline === true ? /[\n\r\t\u2028\u2029]/g : /$^/, '')
        .replace(/(?<=\S)[\u200c\u200d](?=\S)/g, '');
      // Blank text is reported by text-empty, and a lone surrogate by document-unreadable.
      if (isBlank(text) || !hasUnprintable(plain.replace(/\p{Cs}/gu, ''))) continue;
      problems.push({
        at: pointerTo(...field.at),
        message: message`The ${field.name} contains invisible characters: “${safeExcerpt(plain, 120)}”.`,
        advice: message`Remove them; they usually come from copy and paste.`,
      });
    }
    return problems;
  },
});

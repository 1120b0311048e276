import { message } from '../../text/message.ts';
import { safeExcerpt } from '../../text/text.ts';
import { defineRule } from '../rule.ts';

export const jsonDuplicateKey = defineRule({
  id: 'json-duplicate-key',
  title: 'JSON with a duplicate key',
  on: 'document',
  needs: ['reading'],
  severity: 'error',
  spec: '2.1',
  symptom: 'by-resource',
  owner: 'author',
  failsWhen: 'an object has a duplicate key, which JSON.parse hides',
  why: 'Parsers differ in which of the two they use, so subscribers may see a different registry than its author.',
  examples: {
    bad: '{ "apps": {}, "apps": {} }',
    good: '{ "apps": {} }',
  },
  check({ reading }) {
    return reading.duplicates.map(({ pointer, name, offset }) => ({
      at: pointer,
      offset,
      message: message`The key “${safeExcerpt(name, 80)}” occurs twice in one object.`,
      advice: message`Remove one of the two, or give it another key if both are needed.`,
      evidence: { name },
    }));
  },
});

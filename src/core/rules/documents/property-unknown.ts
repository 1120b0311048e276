import { message } from '../../text/message.ts';
import { unknownProperties } from '../../registry/schema.ts';
import { safeExcerpt } from '../../text/text.ts';
import type { schemaViolation } from './schema-violation.ts';
import { explainedBy, defineRule } from '../rule.ts';

export const propertyUnknown = defineRule({
  id: 'property-unknown',
  title: 'Unknown field',
  on: 'document',
  needs: ['resource', 'value'],
  severity: 'warning',
  spec: null,
  symptom: null,
  owner: 'author',
  // Another kind of file has other fields.
  supersededBy: [
    explainedBy<typeof schemaViolation>(
      'schema-violation',
      'The file is a different one, whose properties are not those of this kind of file',
      'metadata-file',
      'manifest-file',
      'error-message',
      'misplaced',
      'other-format',
    ),
  ],
  causes: {
    misspelled: { title: 'The name is similar to one that the format defines' },
  },
  failsWhen: 'a field is not part of the specification (`$schema` and names that begin with `x-` are ignored)',
  why: 'Subscribers ignore it; often it is a misspelled field.',
  examples: {
    bad: '{ "apps": {}, "$comment": "ours" }',
    good: '{ "apps": {}, "x-comment": "ours" }',
  },
  check({ resource, value }) {
    return unknownProperties(resource === 'manifest' ? 'registry' : 'app', value).map(({ pointer, name, meant }) => ({
      at: pointer,
      onName: true,
      message: message`The field “${safeExcerpt(name, 80)}” is not part of the format.${meant ? ` Did you mean “${meant}”?` : ''}`,
      advice: meant
        ? message`Rename it to "${meant}".`
        : message`Remove it, or begin its name with "x-" to mark it as your own.`,
      ...(meant ? { cause: 'misspelled' as const } : {}),
    }));
  },
});

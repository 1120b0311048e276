import { unknownProperties } from '../../registry/schema.ts';
import { shorten } from '../../text/text.ts';
import { schemaViolation } from './schema-violation.ts';
import { withCauses, defineRule } from '../rule.ts';

export const propertyUnknown = defineRule({
  id: 'property-unknown',
  on: 'document',
  needs: ['role', 'value'],
  severity: 'warning',
  spec: null,
  symptom: null,
  owner: 'author',
  // Another kind of file has other fields.
  supersededBy: withCauses(schemaViolation, 'metadata-file', 'manifest-file', 'error-message'),
  causes: {
    misspelt: { title: 'The name is close to one that the format defines' },
  },
  failsWhen:
    'a field stands there that the specification does not name (`$schema` and names that begin with `x-` are left alone)',
  why: 'Nobody reads it; often it is a misspelt field that subscribers then miss.',
  check({ role, value }) {
    return unknownProperties(role === 'manifest' ? 'registry' : 'app', value).map(({ pointer, name, meant }) => ({
      at: pointer,
      onName: true,
      message: `The field “${shorten(name, 80)}” is not part of the format.${meant ? ` Did you mean “${meant}”?` : ''}`,
      advice: meant
        ? `Rename it to "${meant}".`
        : 'Remove it, or let its name begin with "x-" to say that it is yours.',
      ...(meant ? { cause: 'misspelt' as const } : {}),
    }));
  },
});

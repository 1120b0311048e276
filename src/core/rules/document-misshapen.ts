import { shapeFaults } from '../shape.ts';
import { isObject, type JsonValue, member } from '../json.ts';
import type { Role } from '../facts.ts';
import type { Problem } from '../rule.ts';
import { defineRule } from '../rule.ts';

export const documentMisshapen = defineRule({
  id: 'document-misshapen',
  on: 'document',
  needs: ['role', 'value'],
  severity: 'error',
  spec: '2.1',
  symptom: 'by-resource',
  when: 'a required field is absent, or a field has the wrong type',
  why: 'The service cannot use an entry that lacks what the format requires.',
  check({ role, value }) {
    const swapped = swap(role, value);
    if (swapped) return swapped;
    return shapeFaults(role === 'manifest' ? 'registry' : 'app', value).map((fault) => ({
      at: fault.pointer,
      cause: fault.cause,
      message: fault.message,
      advice: fault.advice,
    }));
  },
});

/** The two kinds of file, mistaken for each other: one fault, not a list of missing fields. */
function swap(role: Role, value: JsonValue): Problem | null {
  const hasApps = isObject(member(value, 'apps'));
  const hasVersions = Array.isArray(member(value, 'versions'));
  if (role === 'manifest' && hasVersions && !hasApps) {
    return {
      cause: 'metadata-file',
      message: 'This is an app metadata file (it has "versions"), not a registry manifest.',
      advice: 'Give the URL of the manifest, the file that has "apps".',
    };
  }
  if (role === 'metadata' && hasApps && !hasVersions) {
    return {
      cause: 'manifest-file',
      message: 'This is a registry manifest (it has "apps"), not an app metadata file.',
      advice: 'Point appMetadataUrl to the file that lists the versions of the app.',
    };
  }
  return null;
}

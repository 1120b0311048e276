import { message, safe } from '../../text/message.ts';
import { defineRule } from '../rule.ts';

export const aboutInvalid = defineRule({
  id: 'about-invalid',
  title: 'About file with errors',
  on: 'about',
  needs: ['reading'],
  severity: 'error',
  spec: null,
  symptom: null,
  owner: 'author',
  refusesVersion: false,
  causes: {
    fault: { title: 'The about file is not JSON, or a field has another form' },
    'unknown-field': { title: 'A field is not known, and is ignored' },
  },
  failsWhen:
    'the about file of an app is not JSON, repeats a name, or has a field of another form than schemas/about.schema.json; a warning for a field that is not known',
  why: 'A file with an error is not used: notes and retirements do not reach subscribers. The app and its versions stay visible.',
  examples: {
    bad: `{ "schema": 1, "versions": { "1.2.0": { "deprecated": { "reason": "insecure", "message": "It leaks tokens." } } } }`,
    good: `{ "schema": 1, "versions": { "1.2.0": { "deprecated": { "reason": "security", "message": "It leaks tokens." } } } }`,
  },
  check({ reading: { faults, unknown } }) {
    const wrong = faults.slice(0, MOST).map((fault) => ({
      cause: 'fault' as const,
      offset: fault.offset,
      message: message`${safe(fault.message)}`,
      advice: message`Correct the field. schemas/about.schema.json describes the file; appreg deprecate and appreg edit-app write it.`,
    }));
    const ignored = unknown.slice(0, MOST).map((fault) => ({
      cause: 'unknown-field' as const,
      severity: 'warning' as const,
      offset: fault.offset,
      message: message`${safe(fault.message)}`,
      advice: message`Remove it, or correct its name. It is ignored.`,
    }));
    return [...wrong, ...ignored];
  },
});

/** Further problems are not listed. */
const MOST = 20;

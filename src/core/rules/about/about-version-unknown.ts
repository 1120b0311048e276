import { pointerTo } from '../../json/pointer.ts';
import { message } from '../../text/message.ts';
import { defineRule } from '../rule.ts';

export const aboutVersionUnknown = defineRule({
  id: 'about-version-unknown',
  title: 'Version in an about file that is not listed',
  on: 'about',
  needs: ['about', 'listed'],
  severity: 'warning',
  spec: null,
  symptom: null,
  owner: 'author',
  failsWhen: 'the about file of an app describes a version that its metadata file does not list',
  why: 'Subscribers do not see it. If the number is misspelled, the notes or the retirement of another version are missing.',
  examples: {
    bad: `// listed: 1.2.0
{ "schema": 1, "versions": { "1.20.0": { "notes": "Faster." } } }`,
    good: `// listed: 1.2.0
{ "schema": 1, "versions": { "1.2.0": { "notes": "Faster." } } }`,
  },
  check({ about, listed }) {
    const known = new Set(listed);
    return [...about.versions.keys()]
      .filter((version) => !known.has(version))
      .map((version) => ({
        version,
        at: pointerTo('versions', version),
        onName: true,
        message: message`The about file describes version ${version}, which is not listed.`,
        advice: message`Correct the number, or publish the version. If a publication was interrupted, run the same command again.`,
      }));
  },
});

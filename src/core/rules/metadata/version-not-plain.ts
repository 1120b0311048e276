import { shorten } from '../../text/text.ts';
import { isPlainVersion, isSemver } from '../../registry/version.ts';
import { defineRule } from '../rule.ts';

export const versionNotPlain = defineRule({
  id: 'version-not-plain',
  title: 'Version with a pre-release or build part',
  on: 'version',
  needs: ['version'],
  severity: 'warning',
  spec: '2.2',
  symptom: null,
  owner: 'author',
  causes: {
    'pre-release': { title: 'The version has a pre-release part' },
    build: { title: 'The version has a build part' },
  },
  failsWhen: 'a semantic version has a pre-release or build part, and so is not of the form MAJOR.MINOR.PATCH',
  why: 'The specification only describes the plain form; whether subscribers are offered a pre-release is unspecified.',
  examples: {
    bad: '{ "version": "1.0.0-beta.1" }',
    good: '{ "version": "1.0.0" }',
  },
  check({ version }) {
    if (isPlainVersion(version) || !isSemver(version)) return null;
    const part =
      version.includes('-') && (!version.includes('+') || version.indexOf('-') < version.indexOf('+'))
        ? 'pre-release'
        : 'build';
    return {
      at: '/version',
      cause: part,
      message: `The version ${shorten(version, 60)} has a ${part} part.`,
      advice:
        'Publish plain versions (MAJOR.MINOR.PATCH) for subscribers; otherwise appreg publish-version requires --allow-prerelease.',
    };
  },
});

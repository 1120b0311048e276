import { message } from '../../text/message.ts';
import { safeExcerpt } from '../../text/text.ts';
import { defineRule } from '../rule.ts';

export const versionNotPlain = defineRule({
  id: 'version-not-plain',
  title: 'Version with a pre-release identifier or build metadata',
  on: 'version',
  needs: ['semver'],
  severity: 'warning',
  spec: '2.2',
  symptom: null,
  owner: 'author',
  needsNewVersion: true,
  causes: {
    'pre-release': { title: 'The version has a pre-release identifier' },
    build: { title: 'The version has build metadata' },
  },
  failsWhen:
    'a semantic version has a pre-release identifier or build metadata, so it is not of the form MAJOR.MINOR.PATCH',
  why: 'The specification only describes the plain form; whether subscribers are offered a pre-release is unspecified.',
  examples: {
    bad: '{ "version": "1.0.0-beta.1" }',
    good: '{ "version": "1.0.0" }',
  },
  check({ semver }) {
    if (semver === null || semver.isPlain) return null;
    const version = semver.text;
    const part =
      version.includes('-') && (!version.includes('+') || version.indexOf('-') < version.indexOf('+'))
        ? 'pre-release'
        : 'build';
    return {
      at: '/version',
      cause: part,
      message: message`Version ${safeExcerpt(version, 60)} has ${part === 'build' ? 'build metadata' : 'a pre-release identifier'}.`,
      advice: message`Publish plain versions (MAJOR.MINOR.PATCH) for subscribers; otherwise appreg publish-version requires --allow-prerelease.`,
    };
  },
});

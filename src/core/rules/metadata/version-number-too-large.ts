import { message } from '../../text/message.ts';
import { safeExcerpt } from '../../text/text.ts';
import { isSemver } from '../../registry/version.ts';
import { defineRule } from '../rule.ts';

/** The length of the shortest version with a number that is too large: `100000000.0.0`. */
const SHORTEST = 13;

export const versionNumberTooLarge = defineRule({
  id: 'version-number-too-large',
  title: 'Version number that is too large',
  on: 'version',
  needs: ['version'],
  severity: 'warning',
  spec: null,
  symptom: 'app-does-not-appear',
  owner: 'author',
  causes: {
    length: { title: 'The version is longer than 256 characters' },
    number: { title: 'A number in the version is too large' },
  },
  failsWhen: 'a version has a major number above 99,999,999, a number above 2^53, or more than 256 characters',
  why: 'Every later version must be even higher, and semver libraries reject numbers above 2^53 and long versions.',
  examples: {
    bad: '{ "version": "20260101000000.0.0" }',
    good: '{ "version": "2026.1.0" }',
  },
  check({ version }) {
    if (version.length < SHORTEST || !isSemver(version)) return null;
    if (version.length > 256)
      return {
        at: '/version',
        cause: 'length',
        message: message`The version has ${version.length} characters, which is too long.`,
        advice: message`Keep versions short; many semver libraries reject more than 256 characters.`,
      };
    const numbers = version.replace(/[-+].*$/, '').split('.');
    const number = numbers.find(
      (digits, index) => (index === 0 && digits.length > 8) || Number(digits) > Number.MAX_SAFE_INTEGER,
    );
    if (number === undefined) return null;
    return {
      at: '/version',
      cause: 'number',
      message: message`Version ${safeExcerpt(version, 60)} contains the number ${safeExcerpt(number, 40)}, which is too large.`,
      advice: message`Check for typos: once published, the version stays the highest forever.`,
    };
  },
});

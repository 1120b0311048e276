import { message } from '../../text/message.ts';
import { safeExcerpt } from '../../text/text.ts';
import { LONGEST_COMPARED } from '../../registry/version.ts';
import { defineRule } from '../rule.ts';

/** The length of the shortest version with a number that is too large: `100000000.0.0`. */
const SHORTEST = 13;

export const versionNumberTooLarge = defineRule({
  id: 'version-number-too-large',
  title: 'Version number that is too large',
  on: 'version',
  needs: ['semver'],
  severity: 'warning',
  spec: null,
  symptom: 'app-does-not-appear',
  owner: 'author',
  needsNewVersion: true,
  causes: {
    length: { title: 'The version is longer than 256 characters' },
    number: { title: 'A number in the version is too large' },
  },
  failsWhen:
    'a version has a major number above 99,999,999, a number above 2^53 − 1, or more than 256 characters. One with a number above 2^53 − 1 or more characters is not compared with others: it is never the latest version, matches every range that a policy denies, and none that it allows',
  why: 'Every later version must be even higher, and semver libraries reject numbers above 2^53 − 1 and long versions.',
  examples: {
    bad: '{ "version": "20260101000000.0.0" }',
    good: '{ "version": "2026.1.0" }',
  },
  check({ semver }) {
    if (semver === null || semver.text.length < SHORTEST) return null;
    const version = semver.text;
    if (version.length > LONGEST_COMPARED)
      return {
        at: '/version',
        cause: 'length',
        message: message`The version has ${version.length} characters, which is too long: it is not compared with other versions.`,
        advice: message`Keep versions short; semver libraries reject more than ${LONGEST_COMPARED} characters.`,
        evidence: { compared: false },
      };
    const numbers = version.replace(/[-+].*$/, '').split('.');
    const number = numbers.find(
      (digits, index) => (index === 0 && digits.length > 8) || Number(digits) > Number.MAX_SAFE_INTEGER,
    );
    if (number === undefined) return null;
    const shown = `Version ${safeExcerpt(version, 60)} contains the number ${safeExcerpt(number, 40)}`;
    if (!semver.isCompared)
      return {
        at: '/version',
        cause: 'number',
        message: message`${shown}, which is above 2^53 − 1: the version is not compared with others.`,
        advice: message`Publish a version with smaller numbers: this one is never the latest, and policies with ranges hold it back.`,
        evidence: { compared: false },
      };
    return {
      at: '/version',
      cause: 'number',
      message: message`${shown}, which is too large.`,
      evidence: { compared: true },
      advice: message`Check for typos: once published, the version stays the highest forever.`,
    };
  },
});

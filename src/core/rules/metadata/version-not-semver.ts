import { message } from '../../text/message.ts';
import { printable, safeExcerpt } from '../../text/text.ts';
import { likelyVersion } from '../../registry/version.ts';
import { defineRule, explainedBy } from '../rule.ts';
import type { versionWithdrawn } from '../history/version-withdrawn.ts';

export const versionNotSemver = defineRule({
  id: 'version-not-semver',
  title: 'Version that is not a semantic version',
  on: 'version',
  needs: ['version', 'semver'],
  severity: 'error',
  spec: '2.2',
  symptom: 'app-does-not-appear',
  owner: 'author',
  fixable: true,
  supersededBy: [
    explainedBy<typeof versionWithdrawn>(
      'version-withdrawn',
      'A published version is written in that form, which is reported with what was published',
    ),
  ],
  failsWhen: 'a version is not a semantic version (`v1.2.3`, `1.2`, `01.2.3`); the likely version is suggested',
  why: 'The service orders versions semantically; the app is shown only if every version in the file is valid.',
  examples: {
    bad: '{ "version": "v1.0" }',
    good: '{ "version": "1.0.0" }',
  },
  check({ version, semver }) {
    if (semver !== null) return null;
    const meant = likelyVersion(version);
    return {
      at: '/version',
      message: message`“${safeExcerpt(version, 60)}” is not a semantic version.`,
      advice: meant ? message`Write it as "${meant}".` : message`Write it as MAJOR.MINOR.PATCH, for example "1.2.3".`,
      evidence: { version: printable(version) },
    };
  },
});

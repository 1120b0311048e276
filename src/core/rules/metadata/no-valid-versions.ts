import { message } from '../../text/message.ts';
import { defineRule, explainedBy } from '../rule.ts';
import type { schemaViolation } from '../documents/schema-violation.ts';
import type { versionWithdrawn } from '../history/version-withdrawn.ts';

const WITHOUT_VERSIONS = explainedBy<typeof schemaViolation>(
  'schema-violation',
  'Each listed version lacks its version string, which is reported for each of them',
);

export const noValidVersions = defineRule({
  id: 'no-valid-versions',
  title: 'App without a valid version',
  on: 'metadata',
  needs: ['versions', 'listed'],
  severity: 'error',
  spec: '2.2',
  symptom: 'app-does-not-appear',
  owner: 'author',
  hidesApp: true,
  hiddenReason: 'Its metadata file lists no valid version.',
  supersededBy: [
    explainedBy<typeof versionWithdrawn>(
      'version-withdrawn',
      'A published version is written in a form that is not valid, and its correction is a valid version',
      'respelled',
    ),
  ],
  causes: {
    empty: { title: 'No version is listed' },
    'all-invalid': { title: 'No listed version is valid' },
  },
  failsWhen: '`versions` contains no valid version (a warning if it is empty, as for a new app)',
  why: 'The app is shown only if it has at least one valid version.',
  examples: {
    bad: `{ "versions": [
  { "version": "v1", "artifactUrl": "https://apps.example.com/echo/v1.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
] }`,
    good: `{ "versions": [
  { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
] }`,
  },
  check({ versions, listed }) {
    if (versions.some(({ semver }) => semver !== null)) return null;
    if (listed === 0)
      return {
        at: '/versions',
        severity: 'warning',
        hidesApp: true,
        cause: 'empty',
        message: message`No version is listed yet, so subscribers do not see the app.`,
        advice: message`Publish a version: appreg publish-version <app> 1.0.0 --entry <file>`,
      };
    return {
      at: '/versions',
      cause: 'all-invalid',
      message:
        listed === 1
          ? message`The only listed version is not valid.`
          : message`None of the ${listed} listed versions is valid.`,
      advice: message`Write the listed version strings as MAJOR.MINOR.PATCH; no new version is needed.`,
      ...(versions.every(({ version }) => version === null) && { supersededBy: [WITHOUT_VERSIONS] }),
    };
  },
});

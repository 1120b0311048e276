import { isSemver } from '../../registry/version.ts';
import { defineRule } from '../rule.ts';
import { schemaViolation } from '../documents/schema-violation.ts';

export const noValidVersions = defineRule({
  id: 'no-valid-versions',
  on: 'metadata',
  needs: ['versions', 'listed'],
  severity: 'error',
  spec: '2.2',
  symptom: 'app-does-not-appear',
  owner: 'author',
  hidesApp: true,
  hiddenReason: 'Its metadata file lists no valid version.',
  supersededBy: [schemaViolation],
  causes: {
    empty: { title: 'No version is listed' },
    'all-invalid': { title: 'No listed version is valid' },
  },
  failsWhen: '`versions` contains no valid version (a warning if it is empty, as for a new app)',
  why: 'The app is shown only if it has at least one valid version.',
  check({ versions, listed }) {
    if (versions.some((entry) => entry.version !== null && isSemver(entry.version))) return null;
    if (listed === 0)
      return {
        at: '/versions',
        severity: 'warning',
        hidesApp: true,
        cause: 'empty',
        message: 'No version is listed yet, so subscribers do not see the app.',
        advice: 'Publish a version: appreg publish-version <app> 1.0.0 --entry <file>',
      };
    return {
      at: '/versions',
      cause: 'all-invalid',
      message:
        listed === 1 ? 'The only listed version is not valid.' : `None of the ${listed} listed versions is valid.`,
      advice: 'Write the listed version strings as MAJOR.MINOR.PATCH; no new version is needed.',
    };
  },
});

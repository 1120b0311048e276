import { isSemver } from '../version.ts';
import { defineRule } from '../rule.ts';

export const versionsNoneValid = defineRule({
  id: 'versions-none-valid',
  on: 'metadata',
  needs: ['versions'],
  severity: 'error',
  spec: '2.2',
  symptom: 'app-does-not-appear',
  hides: true,
  unless: ['document-misshapen'],
  when: 'no valid version is left in `versions`',
  why: 'At least one valid version must exist for the app to appear.',
  check({ versions }) {
    if (versions.some((entry) => entry.version !== null && isSemver(entry.version))) return null;
    return {
      at: '/versions',
      cause: versions.length === 0 ? 'empty' : 'all-invalid',
      message:
        versions.length === 0
          ? 'No version is listed.'
          : versions.length === 1
            ? 'The one version that is listed is not valid.'
            : `None of the ${versions.length} listed versions is valid.`,
      advice:
        versions.length === 0
          ? 'Publish a version: appreg publish-version <app> 1.0.0 --entry <file>'
          : 'Write the listed version strings as MAJOR.MINOR.PATCH; no new version is needed.',
    };
  },
});

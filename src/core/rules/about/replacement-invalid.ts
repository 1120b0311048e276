import { replacementFault } from '../../about/retirement.ts';
import { pointerTo } from '../../json/pointer.ts';
import { message } from '../../text/message.ts';
import { defineRule } from '../rule.ts';

export const replacementInvalid = defineRule({
  id: 'replacement-invalid',
  title: 'Replacement of a retired version that cannot be used',
  on: 'about',
  needs: ['about', 'listed'],
  severity: 'error',
  spec: null,
  symptom: null,
  owner: 'author',
  refusesVersion: false,
  causes: {
    'not-listed': { title: 'The named version is not listed' },
    'not-higher': { title: 'The named version is not higher' },
  },
  failsWhen:
    'the about file names a version to use in place of a retired one (`use`) that is not listed, or is not higher',
  why: 'Subscribers are advised to install a version that they cannot get, or that is older.',
  examples: {
    bad: `// listed: 1.2.0
{ "schema": 1, "versions": { "1.2.0": { "deprecated": { "reason": "broken", "message": "It does not start.", "use": "1.2.1" } } } }`,
    good: `// listed: 1.2.0 1.2.1
{ "schema": 1, "versions": { "1.2.0": { "deprecated": { "reason": "broken", "message": "It does not start.", "use": "1.2.1" } } } }`,
  },
  check({ about, listed }) {
    return [...about.versions].flatMap(([version, { deprecated }]) => {
      const use = deprecated?.use ?? null;
      // A version that is not listed has its own finding.
      if (use === null || !listed.includes(version)) return [];
      const cause = replacementFault(version, use, listed);
      if (cause === null) return [];
      return [
        {
          cause,
          version,
          at: pointerTo('versions', version, 'deprecated', 'use'),
          message:
            cause === 'not-listed'
              ? message`Version ${version} is retired in favor of ${use}, which is not listed.`
              : message`Version ${version} is retired in favor of ${use}, which is not higher.`,
          advice: message`Name a listed version that is higher than ${version}, or remove "use".`,
          evidence: { use },
        },
      ];
    });
  },
});

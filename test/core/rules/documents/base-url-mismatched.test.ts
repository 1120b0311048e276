import { baseUrlMismatched } from '../../../../src/core/rules/documents/base-url-mismatched.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const addresses = { configured: 'https://www.apps.example.com', shown: 'https://apps.example.com/' };

ruleTable(baseUrlMismatched, {
  clean: [['a base URL that fits, or a registry that is not in a workspace', { otherBase: null }]],
  faulty: [
    [
      'another base URL for all apps',
      { otherBase: { ...addresses, apps: 4, isPart: false } },
      {
        cause: 'no-app',
        message:
          'The configuration has the baseUrl “https://www.apps.example.com”, but the manifest lists 4 apps of this workspace below “https://apps.example.com/”.',
        advice: 'Correct "baseUrl"',
        evidence: { baseUrl: 'https://www.apps.example.com', shown: 'https://apps.example.com/', apps: 4 },
      },
    ],
    [
      'another base URL for one app',
      { otherBase: { ...addresses, apps: 1, isPart: true } },
      {
        cause: 'some-apps',
        message: 'lists 1 app of this workspace below',
        advice: 'Correct the URLs in the manifest',
      },
    ],
  ],
});

import { noValidVersions } from '../../../../src/core/rules/metadata/no-valid-versions.ts';
import { entries } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const listedVersions = (...list: Parameters<typeof entries>) => ({ versions: entries(...list), listed: list.length });

ruleTable(noValidVersions, {
  clean: [
    ['one', listedVersions({ version: '1.0.0' })],
    ['one among others', listedVersions({ version: 'v1' }, { version: null }, { version: '0.0.0' })],
    ['a pre-release', listedVersions({ version: '1.0.0-0' })],
  ],
  faulty: [
    [
      'an empty list',
      listedVersions(),
      {
        at: '/versions',
        severity: 'warning',
        hidesApp: true,
        cause: 'empty',
        message: 'No version is listed yet',
        advice: 'appreg publish-version',
      },
    ],
    [
      'one invalid version',
      listedVersions({ version: 'v1.0.0' }),
      { cause: 'all-invalid', message: 'only listed version' },
    ],
    [
      'two invalid versions',
      listedVersions({ version: '1.0' }, { version: 'latest' }),
      { cause: 'all-invalid', message: '2 listed versions', advice: 'no new version is needed' },
    ],
    [
      'elements that are not objects',
      { versions: [], listed: 2 },
      { cause: 'all-invalid', message: '2 listed versions' },
    ],
  ],
});

import { versionsNoneValid } from '../../../src/core/rules/versions-none-valid.ts';
import { entries } from '../../support/core-facts.ts';
import { ruleTable } from '../../support/rule-table.ts';

ruleTable(versionsNoneValid, {
  clean: [
    ['one', { versions: entries({ version: '1.0.0' }) }],
    ['one among others', { versions: entries({ version: 'v1' }, { version: null }, { version: '0.0.0' }) }],
    ['a pre-release', { versions: entries({ version: '1.0.0-0' }) }],
  ],
  faulty: [
    [
      'an empty list',
      { versions: [] },
      { at: '/versions', cause: 'empty', message: 'No version is listed', advice: 'appreg publish-version' },
    ],
    [
      'one that is none',
      { versions: entries({ version: 'v1.0.0' }) },
      { cause: 'all-invalid', message: 'one version that is listed' },
    ],
    [
      'two that are none',
      { versions: entries({ version: '1.0' }, { version: 'latest' }) },
      { cause: 'all-invalid', message: '2 listed versions', advice: 'no new version is needed' },
    ],
  ],
});

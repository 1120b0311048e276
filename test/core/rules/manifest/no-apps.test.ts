import { noApps } from '../../../../src/core/rules/manifest/no-apps.ts';
import { ruleTable } from '../../../support/rule-table.ts';

ruleTable(noApps, {
  clean: [
    ['one app', { keys: ['a'] }],
    ['one app with an unusual key', { keys: [''] }],
  ],
  faulty: [['none', { keys: [] }, { message: 'no apps', advice: 'appreg add-app' }]],
});

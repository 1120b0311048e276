import { appsNone } from '../../../src/core/rules/apps-none.ts';
import { ruleTable } from '../../support/rule-table.ts';

ruleTable(appsNone, {
  clean: [
    ['one app', { keys: ['a'] }],
    ['one app with an odd key', { keys: [''] }],
  ],
  faulty: [['none', { keys: [] }, { message: 'no apps', advice: 'appreg add-app' }]],
});

import { appKeyAmbiguous } from '../../../../src/core/rules/manifest/app-key-ambiguous.ts';
import { ruleTable } from '../../../support/rule-table.ts';

ruleTable(appKeyAmbiguous, {
  clean: [
    ['no keys', { keys: [] }],
    ['different keys', { keys: ['mail', 'mail2', 'mail-2', 'mai-l'] }],
    ['names that objects inherit', { keys: ['__proto__', 'constructor', 'toString', 'proto'] }],
  ],
  faulty: [
    [
      'case',
      { keys: ['Mail', 'mail'] },
      { at: '/mail', onName: true, message: '“Mail” and “mail”', evidence: { other: 'Mail' } },
    ],
    ['hyphen and underscore', { keys: ['my-app', 'my_app'] }, { at: '/my_app', onName: true }],
    ['both', { keys: ['My-App', 'x', 'my_app'] }, { at: '/my_app' }],
    ['three alike', { keys: ['a-b', 'a_b', 'A-B'] }, [{ at: '/a_b' }, { at: '/A-B' }]],
    ['keys that are unsafe as well', { keys: ['a/b', 'A/B'] }, { at: '/A~1B' }],
  ],
});

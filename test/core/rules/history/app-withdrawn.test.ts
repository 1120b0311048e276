import { appWithdrawn } from '../../../../src/core/rules/history/app-withdrawn.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const of = (keys: string[], earlierKeys: string[]) => ({ keys, earlierKeys, earlierSource: 'main' });

ruleTable(appWithdrawn, {
  clean: [
    ['the same apps', of(['a', 'b'], ['b', 'a'])],
    ['one more', of(['a', 'b'], ['a'])],
    ['nothing before', of(['a'], [])],
    ['names that objects inherit', of(['__proto__', 'constructor'], ['constructor', '__proto__'])],
  ],
  faulty: [
    ['one is gone', of(['a'], ['a', 'b']), { message: '“b”', app: 'b', evidence: { app: 'b', earlier: 'main' } }],
    [
      'all are gone',
      of([], ['a', 'b']),
      [{ evidence: { app: 'a', earlier: 'main' } }, { evidence: { app: 'b', earlier: 'main' } }],
    ],
    ['a name that every object has', of(['a'], ['a', 'toString']), { message: '“toString”' }],
    ['renamed in case', of(['Mail'], ['mail']), { cause: 'renamed', message: '“mail”', evidence: { renamed: 'Mail' } }],
    ['renamed in its separators', of(['my_app'], ['my-app']), { cause: 'renamed', message: '“my_app” is' }],
    ['another one was there before', of(['my_app'], ['my-app', 'my_app']), { message: 'is no longer listed.' }],
  ],
});

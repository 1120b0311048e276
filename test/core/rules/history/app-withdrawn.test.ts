import { appWithdrawn } from '../../../../src/core/rules/history/app-withdrawn.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const appKeys = (keys: string[], earlierKeys: string[]) => ({ keys, earlierKeys, earlierSource: 'main' });

ruleTable(appWithdrawn, {
  clean: [
    ['the same apps', appKeys(['a', 'b'], ['b', 'a'])],
    ['one more', appKeys(['a', 'b'], ['a'])],
    ['nothing before', appKeys(['a'], [])],
    ['names that objects inherit', appKeys(['__proto__', 'constructor'], ['constructor', '__proto__'])],
  ],
  faulty: [
    ['one is gone', appKeys(['a'], ['a', 'b']), { message: '“b”', app: 'b', evidence: { app: 'b', earlier: 'main' } }],
    [
      'all are gone',
      appKeys([], ['a', 'b']),
      [
        { cause: 'no-app-left', severity: 'error', evidence: { app: 'a', earlier: 'main' } },
        { cause: 'no-app-left', severity: 'error', evidence: { app: 'b', earlier: 'main' } },
      ],
    ],
    ['a name that every object has', appKeys(['a'], ['a', 'toString']), { message: '“toString”' }],
    [
      'renamed in case',
      appKeys(['Mail'], ['mail']),
      { cause: 'renamed', message: '“mail”', evidence: { renamed: 'Mail' } },
    ],
    ['renamed in its separators', appKeys(['my_app'], ['my-app']), { cause: 'renamed', message: '“my_app” is' }],
    ['another one was there before', appKeys(['my_app'], ['my-app', 'my_app']), { message: 'is no longer listed.' }],
  ],
});

import type { Exception } from '../../../../src/core/findings/report.ts';
import { exceptionUnused } from '../../../../src/core/rules/settings/exception-unused.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const exception: Exception = {
  rule: 'url-unstable',
  app: null,
  version: null,
  url: null,
  secret: null,
  reason: 'The host is moving.',
  until: null,
  issue: null,
};
const range = { text: '<1.4', includes: () => false };

ruleTable(exceptionUnused, {
  clean: [
    ['one that matches', { exception, isListed: true, isUsed: true, keys: [] }],
    [
      'one for an app that is not listed any more',
      { exception: { ...exception, app: 'old' }, isListed: false, isUsed: true, keys: [] },
    ],
  ],
  faulty: [
    [
      'a rule',
      { exception, isListed: true, isUsed: false, keys: [] },
      { cause: 'no-finding', message: 'The exception for url-unstable is not used: no finding matches it.' },
    ],
    [
      'an app, versions and URLs',
      {
        exception: { ...exception, app: 'clock', version: range, url: 'https://old.example.com/**' },
        isListed: true,
        isUsed: false,
        keys: ['clock'],
      },
      {
        cause: 'no-finding',
        message: 'url-unstable (app clock, version <1.4, URL https://old.example.com/**) is not used',
        advice: 'remove it',
        evidence: {
          rule: 'url-unstable',
          app: 'clock',
          version: '<1.4',
          url: 'https://old.example.com/**',
          reason: 'The host is moving.',
          until: null,
        },
      },
    ],
    [
      'a mistyped app',
      { exception: { ...exception, app: 'clokc' }, isListed: false, isUsed: false, keys: ['timer', 'clock'] },
      { cause: 'app-not-listed', message: 'lists no app “clokc”. Did you mean clock?', advice: 'Correct the key' },
    ],
    [
      'a key that would move the cursor',
      { exception: { ...exception, app: '\u001b[2J' }, isListed: false, isUsed: false, keys: [] },
      { cause: 'app-not-listed', message: '\\u{1b}[2J' },
    ],
  ],
});

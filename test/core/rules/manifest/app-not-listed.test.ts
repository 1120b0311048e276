import { appNotListed } from '../../../../src/core/rules/manifest/app-not-listed.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const requestedApps = (keys: string[], requested: string[], copyAge = 0) => ({ keys, requested, copyAge });

ruleTable(appNotListed, {
  clean: [
    ['no app was requested', requestedApps(['a'], [])],
    ['it is listed', requestedApps(['a', 'b'], ['b'])],
    ['names that objects inherit', requestedApps(['__proto__', 'constructor'], ['constructor', '__proto__'])],
  ],
  faulty: [
    [
      'another case',
      requestedApps(['mail', 'Clock'], ['clock']),
      { app: 'clock', cause: 'differs-in-case', message: '“Clock”', advice: '"Clock"' },
    ],
    ['an underscore', requestedApps(['my-app'], ['my_app']), { cause: 'differs-in-separators', message: '“my-app”' }],
    ['no separator', requestedApps(['my-app'], ['myapp']), { cause: 'differs-in-separators' }],
    ['a space at the end', requestedApps(['my-app '], ['my-app']), { cause: 'differs-in-invisible-characters' }],
    ['a zero-width space', requestedApps(['my\u200bapp'], ['myapp']), { cause: 'differs-in-invisible-characters' }],
    [
      'a typing error',
      requestedApps(['calendar'], ['calender']),
      { cause: 'differs-in-spelling', message: '“calendar”' },
    ],
    [
      'the closest of several',
      requestedApps(['clocks', 'Clock', 'cl-ock'], ['clock']),
      { cause: 'differs-in-case', evidence: { wanted: 'clock', listed: 3, near: ['Clock', 'cl-ock', 'clocks'] } },
    ],
    ['nothing like it', requestedApps(['mail', 'chat'], ['clock']), { cause: 'absent', message: 'none of the 2' }],
    [
      'an old copy',
      requestedApps(['mail'], ['clock'], 900_000),
      {
        cause: 'absent',
        message: '10 days old: it may lack what was published since.',
        advice: 'appreg add-app clock',
      },
    ],
    ['short keys are not alike', requestedApps(['ab'], ['ac']), { cause: 'absent' }],
    ['no apps at all', requestedApps([], ['clock']), { cause: 'no-apps', message: 'it lists no apps' }],
    ['a name that every object has', requestedApps(['a'], ['toString']), { app: 'toString', message: '“toString”' }],
    ['several', requestedApps(['a'], ['b', 'a', 'c']), [{ app: 'b' }, { app: 'c' }]],
    ['what could move a cursor', requestedApps(['a'], ['\u001b[2J']), { message: '“\\u{1b}[2J”' }],
  ],
});

import { appKeyUnsafe } from '../../../../src/core/rules/manifest/app-key-unsafe.ts';
import { ruleTable } from '../../../support/rule-table.ts';

ruleTable(appKeyUnsafe, {
  clean: [
    ['letters, digits, hyphens, underscores', { key: 'My-app_2' }],
    ['digits alone', { key: '2' }],
    ['hyphens alone', { key: '--' }],
    ['__proto__', { key: '__proto__' }],
    ['constructor', { key: 'constructor' }],
    ['a device name, which another rule reports', { key: 'con' }],
    ['1,000 characters', { key: 'a'.repeat(1000) }],
  ],
  faulty: [
    ['empty', { key: '' }, { onName: true, message: 'is empty' }],
    ['a space', { key: 'my app' }, { onName: true, advice: '"my-app"' }],
    ['a dot', { key: 'my.app' }, { advice: '"my-app"' }],
    ['a slash', { key: 'a/b' }, { advice: '"a-b"' }],
    ['a way out', { key: '../../etc/passwd' }, { advice: '"etc-passwd"' }],
    ['dots alone', { key: '..' }, { message: 'not URL-safe' }],
    ['percent', { key: 'a%2fb' }, { advice: '"a-2fb"' }],
    ['é composed', { key: 'app\u00e9' }, { advice: '"appe"' }],
    ['é decomposed', { key: 'appe\u0301' }, { advice: '"appe"' }],
    ['Cyrillic that looks Latin', { key: 'арр' }, { message: 'арр' }],
    ['full-width Latin', { key: 'ａpp' }, { advice: '"app"' }],
    ['Arabic digits', { key: 'app٣' }, { message: 'not URL-safe' }],
    ['Kelvin sign, a letter that lower-cases to k', { key: '\u212a' }, { message: 'not URL-safe' }],
    [
      'a line break at the end, where $ might look away',
      { key: 'app\n' },
      { message: 'app\\u{a}', evidence: { key: 'app\\u{a}' } },
    ],
    ['an escape sequence', { key: '\u001b[2J' }, { evidence: { key: '\\u{1b}[2J' } }],
    ['half a surrogate pair', { key: 'a\ud800' }, { evidence: { key: 'a\\u{d800}' } }],
  ],
});

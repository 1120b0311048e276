import { textUnprintable } from '../../../../src/core/rules/documents/text-unprintable.ts';
import { textsOf } from '../../../support/app-texts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const withName = (name: string) => textsOf({ name, description: 'Sends mail.' });
const withDescription = (description: string) => textsOf({ name: 'Mail', description });

ruleTable(textUnprintable, {
  clean: [
    ['plain text', withName('Mail')],
    ['accents, CJK, emoji', withName('Café 電子郵件 ✉️ 👩‍👩‍👧 🏳️‍🌈')],
    ['a joiner that Persian needs', withName('می‌خواهم')],
    ['line breaks and tabs in a description', withDescription('One.\r\n\tTwo.\n')],
    ['line and paragraph separators in a description', withDescription('a\u2028b\u2029c')],
    ['blank, which another rule reports', withName('\u200b')],
    ['half a surrogate pair, which another rule reports', withName('a\ud800')],
    ['markup, which is text', withName('<script>alert(1)</script> %s ${x} {{x}}')],
  ],
  faulty: [
    ['right-to-left override', withName('Mail\u202egnp'), { at: '/name', message: 'characters: “Mail\\u{202e}gnp”.' }],
    ['isolates', withName('\u2066a\u2069'), { at: '/name' }],
    ['an escape sequence', withName('\u001b[31mMail'), { at: '/name', message: '\\u{1b}' }],
    ['a line break in a name', withName('Mail\nAdmin'), { at: '/name', message: '\\u{a}' }],
    ['NUL', withName('a\u0000'), { at: '/name' }],
    ['DEL and C1', withDescription('a\u007f\u009b31m'), { at: '/description', message: '\\u{9b}' }],
    ['a zero-width space inside a word', withName('Ma\u200bil'), { at: '/name' }],
    ['a soft hyphen', withName('Ma\u00adil'), { at: '/name' }],
    ['a byte order mark in front', withName('\ufeffMail'), { at: '/name' }],
    ['a joiner at the end, where it joins nothing', withName('Mail\u200d'), { at: '/name' }],
    ['a line separator in a name', withName('a\u2028b'), { at: '/name' }],
    ['both texts', textsOf({ name: 'a\u0007', description: 'b\u0007' }), [{ at: '/name' }, { at: '/description' }]],
  ],
});

import { textUnprintable } from '../../../../src/core/rules/documents/text-unprintable.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const named = (name: string) => ({ name, description: 'Sends mail.' });
const described = (description: string) => ({ name: 'Mail', description });

ruleTable(textUnprintable, {
  clean: [
    ['plain text', named('Mail')],
    ['accents, CJK, emoji', named('Café 電子郵件 ✉️ 👩‍👩‍👧 🏳️‍🌈')],
    ['a joiner that Persian needs', named('می‌خواهم')],
    ['line breaks and tabs in a description', described('One.\r\n\tTwo.\n')],
    ['line and paragraph separators in a description', described('a\u2028b\u2029c')],
    ['blank, which is another rule’s', named('\u200b')],
    ['half a surrogate pair, which is another rule’s', named('a\ud800')],
    ['markup, which is text', named('<script>alert(1)</script> %s ${x} {{x}}')],
  ],
  faulty: [
    ['right-to-left override', named('Mail\u202egnp'), { at: '/name', message: 'Mail\\u{202e}gnp' }],
    ['isolates', named('\u2066a\u2069'), { at: '/name' }],
    ['an escape sequence', named('\u001b[31mMail'), { at: '/name', message: '\\u{1b}' }],
    ['a line break in a name', named('Mail\nAdmin'), { at: '/name', message: '\\u{a}' }],
    ['NUL', named('a\u0000'), { at: '/name' }],
    ['DEL and C1', described('a\u007f\u009b31m'), { at: '/description', message: '\\u{9b}' }],
    ['a zero-width space inside a word', named('Ma\u200bil'), { at: '/name' }],
    ['a soft hyphen', named('Ma\u00adil'), { at: '/name' }],
    ['a byte order mark in front', named('\ufeffMail'), { at: '/name' }],
    ['a joiner at the end, where it joins nothing', named('Mail\u200d'), { at: '/name' }],
    ['a line separator in a name', named('a\u2028b'), { at: '/name' }],
    ['both texts', { name: 'a\u0007', description: 'b\u0007' }, [{ at: '/name' }, { at: '/description' }]],
  ],
});

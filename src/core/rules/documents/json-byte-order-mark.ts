import { message } from '../../text/message.ts';
import { defineRule } from '../rule.ts';

export const jsonByteOrderMark = defineRule({
  id: 'json-byte-order-mark',
  title: 'JSON with a byte order mark',
  on: 'document',
  needs: ['reading'],
  severity: 'warning',
  spec: '7',
  symptom: 'by-resource',
  owner: 'author',
  fixable: true,
  failsWhen: 'the JSON begins with a byte order mark (BOM)',
  why: 'RFC 8259 forbids it, and many JSON parsers reject the file.',
  examples: {
    bad: '\ufeff{ "apps": {} }',
    good: '{ "apps": {} }',
  },
  check({ reading }) {
    if (!reading.byteOrderMark) return null;
    return {
      offset: 0,
      message: message`The file begins with a byte order mark.`,
      advice: message`Save it as UTF-8 without BOM (appreg lint --fix does this).`,
    };
  },
});

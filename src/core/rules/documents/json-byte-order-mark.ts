import { defineRule } from '../rule.ts';

export const jsonByteOrderMark = defineRule({
  id: 'json-byte-order-mark',
  on: 'document',
  needs: ['reading'],
  severity: 'warning',
  spec: '7',
  symptom: 'by-resource',
  owner: 'author',
  fixable: true,
  failsWhen: 'a byte order mark (BOM) stands in front of the JSON',
  why: 'RFC 8259 forbids adding one, and many JSON parsers refuse the file because of it.',
  check({ reading }) {
    if (!reading.byteOrderMark) return null;
    return {
      offset: 0,
      message: 'The file begins with a byte order mark.',
      advice: 'Save it as UTF-8 without BOM (appreg lint --fix does it).',
    };
  },
});

import { aboutInvalid } from '../../../../src/core/rules/about/about-invalid.ts';
import { aboutSubject, retiring } from '../../../support/about-example.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const text = '{ "schema": 1, "versions": { "1.0.0": { "note": "x", "notes": 1 } } }';

ruleTable(aboutInvalid, {
  clean: [
    ['an empty file', aboutSubject({ schema: 1 })],
    ['a retirement', aboutSubject(retiring({ '1.0.0': '1.0.1' }))],
  ],
  faulty: [
    ['no JSON', aboutSubject('{'), { cause: 'fault' }],
    ['an empty text', aboutSubject(''), { cause: 'fault', offset: 0 }],
    ['a web page', aboutSubject('<!doctype html><p>'), { cause: 'fault' }],
    ['a name that occurs twice', aboutSubject('{ "schema": 1, "schema": 1 }'), { cause: 'fault', message: 'twice' }],
    [
      'a field of another type, and an unknown one',
      aboutSubject(text),
      [
        { cause: 'fault', offset: text.indexOf('1 }'), message: 'must be text' },
        { cause: 'unknown-field', severity: 'warning', offset: text.indexOf('"note"'), message: 'Did you mean notes?' },
      ],
    ],
    [
      'control characters and commands of CI systems',
      aboutSubject({
        schema: 1,
        versions: { '1.0.0': { deprecated: { reason: '\u001b[31m\u202e::error::x', message: 'x' } } },
      }),
      { cause: 'fault', message: String.raw`\u{1b}[31m\u{202e}` },
    ],
  ],
});

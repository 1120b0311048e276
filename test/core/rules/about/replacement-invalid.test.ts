import { replacementInvalid } from '../../../../src/core/rules/about/replacement-invalid.ts';
import { aboutSubject, retiring } from '../../../support/about-example.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const at = '/versions/1.0.0/deprecated/use';

ruleTable(replacementInvalid, {
  clean: [
    ['a higher version', aboutSubject(retiring({ '1.0.0': '1.0.1' }), ['1.0.0', '1.0.1'])],
    ['none', aboutSubject(retiring({ '1.0.0': null }), ['1.0.0'])],
    ['a version that is not listed', aboutSubject(retiring({ '1.0.0': '1.0.1' }), ['1.1.0'])],
  ],
  faulty: [
    [
      'a version that is not listed',
      aboutSubject(retiring({ '1.0.0': '1.0.1' }), ['1.0.0']),
      { cause: 'not-listed', version: '1.0.0', at, message: 'not listed' },
    ],
    [
      'a lower version',
      aboutSubject(retiring({ '1.0.0': '0.9.0' }), ['0.9.0', '1.0.0']),
      { cause: 'not-higher', version: '1.0.0', at, message: 'not higher' },
    ],
    [
      'the version itself',
      aboutSubject(retiring({ '1.0.0': '1.0.0' }), ['1.0.0']),
      { cause: 'not-higher', version: '1.0.0', at },
    ],
  ],
});

import { aboutVersionUnknown } from '../../../../src/core/rules/about/about-version-unknown.ts';
import { aboutSubject, retiring } from '../../../support/about-example.ts';
import { ruleTable } from '../../../support/rule-table.ts';

ruleTable(aboutVersionUnknown, {
  clean: [
    ['no versions', aboutSubject({ schema: 1 })],
    ['a listed version', aboutSubject(retiring({ '1.0.0': null }), ['1.0.0', '2.0.0'])],
  ],
  faulty: [
    [
      'a version that is not listed',
      aboutSubject(retiring({ '1.0.0': null, '1.1.0': null }), ['1.0.0']),
      { version: '1.1.0', at: '/versions/1.1.0', onName: true, message: '1.1.0' },
    ],
  ],
});

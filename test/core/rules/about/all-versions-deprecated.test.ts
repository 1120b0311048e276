import { allVersionsDeprecated } from '../../../../src/core/rules/about/all-versions-deprecated.ts';
import { aboutSubject, retiring } from '../../../support/about-example.ts';
import { ruleTable } from '../../../support/rule-table.ts';

ruleTable(allVersionsDeprecated, {
  clean: [
    ['no versions', aboutSubject({ schema: 1 })],
    ['none is retired', aboutSubject({ schema: 1 }, ['1.0.0'])],
    ['one of two', aboutSubject(retiring({ '1.0.0': null }), ['1.0.0', '2.0.0'])],
  ],
  faulty: [
    [
      'the only one',
      aboutSubject(retiring({ '1.0.0': null }), ['1.0.0']),
      { message: 'The only version of the app is', advice: 'Publish a version that replaces it.' },
    ],
    [
      'two of two',
      aboutSubject(retiring({ '1.0.0': '2.0.0', '2.0.0': null }), ['1.0.0', '2.0.0']),
      { at: '/versions', message: 'All 2 versions of the app are retired' },
    ],
  ],
});

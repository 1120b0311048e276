import { workspaceBehind } from '../../../../src/core/rules/history/workspace-behind.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const served = (...versions: (string | null)[]) => versions.map((version) => ({ app: 'clock', version }));

ruleTable(workspaceBehind, {
  clean: [['everything is stored', { source: 'HEAD', unstored: [] }]],
  faulty: [
    [
      'a version',
      { source: 'HEAD', unstored: served('1.1.0') },
      { message: '1 entry that the host serves is not in HEAD: clock 1.1.0.' },
    ],
    [
      'an app, and many versions',
      { source: 'HEAD', unstored: served(null, '1', '2', '3', '4', '5') },
      {
        message:
          '6 entries that the host serves are not in HEAD: the app clock, clock 1, clock 2, clock 3, clock 4 and 1 more.',
      },
    ],
  ],
});

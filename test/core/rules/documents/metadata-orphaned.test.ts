import { metadataOrphaned } from '../../../../src/core/rules/documents/metadata-orphaned.ts';
import { ruleTable } from '../../../support/rule-table.ts';

ruleTable(metadataOrphaned, {
  clean: [['none', { orphans: [] }]],
  faulty: [
    [
      'one',
      { orphans: ['apps/old/versions.json'] },
      { file: 'apps/old/versions.json', message: 'apps/old/versions.json', advice: 'appreg add-app' },
    ],
    [
      'two',
      { orphans: ['a/versions.json', 'b/versions.json'] },
      [{ file: 'a/versions.json' }, { file: 'b/versions.json' }],
    ],
    ['a name that would move the cursor', { orphans: ['\u001b[2J.json'] }, { message: '\\u{1b}[2J.json' }],
  ],
});

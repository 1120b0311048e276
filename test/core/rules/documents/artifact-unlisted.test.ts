import { artifactUnlisted } from '../../../../src/core/rules/documents/artifact-unlisted.ts';
import { ruleTable } from '../../../support/rule-table.ts';

ruleTable(artifactUnlisted, {
  clean: [['none', { unlisted: [] }]],
  faulty: [
    [
      'one',
      { unlisted: ['apps/a/versions/1.1.0.tar.gz'] },
      { file: 'apps/a/versions/1.1.0.tar.gz', message: 'apps/a/versions/1.1.0.tar.gz', advice: 'may delete it' },
    ],
    ['two', { unlisted: ['a/1.tar.gz', 'b/1.tar.gz'] }, [{ file: 'a/1.tar.gz' }, { file: 'b/1.tar.gz' }]],
    ['a name that would move the cursor', { unlisted: ['\u001b[2J.tar.gz'] }, { message: '\\u{1b}[2J.tar.gz' }],
  ],
});

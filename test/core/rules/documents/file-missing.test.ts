import { fileMissing } from '../../../../src/core/rules/documents/file-missing.ts';
import { documentFacts } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const facts = (local?: 'missing' | 'not-a-file' | 'outside', file: string | null = 'apps/a/versions.json') => ({
  resource: 'metadata' as 'manifest' | 'metadata',
  facts: { ...documentFacts('{}').facts, file, ...(local ? { local } : {}) },
});

ruleTable(fileMissing, {
  clean: [
    ['a file that is there', facts()],
    ['a document that is not a local file', facts(undefined, null)],
  ],
  faulty: [
    [
      'nothing there',
      facts('missing'),
      { cause: 'missing', message: 'apps/a/versions.json does not exist', advice: 'appreg add-app' },
    ],
    [
      'no manifest',
      { ...facts('missing', 'registry.json'), resource: 'manifest' },
      { cause: 'missing', message: 'manifest registry.json does not exist', advice: 'Create it with appreg init' },
    ],
    ['a folder or a pipe', facts('not-a-file'), { cause: 'not-a-file', message: 'is not a regular file' }],
    [
      'a link out of the workspace',
      facts('outside'),
      { cause: 'outside', message: 'target outside the workspace', advice: 'regular file' },
    ],
    ['a name that would move the cursor', facts('missing', 'a\u001b[2Jb'), { message: 'a\\u{1b}[2Jb' }],
  ],
});

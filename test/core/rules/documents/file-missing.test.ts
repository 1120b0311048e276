import type { LocalState, ResourceKind } from '../../../../src/core/facts/facts.ts';
import { fileMissing } from '../../../../src/core/rules/documents/file-missing.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const at = (
  state: LocalState | null,
  resource: ResourceKind = 'metadata',
  path = 'apps/a/versions.json',
): { resource: ResourceKind; path: string; state: LocalState | null } => ({ resource, path, state });

ruleTable(fileMissing, {
  clean: [['a file that is there', at(null)]],
  faulty: [
    [
      'nothing there',
      at('missing'),
      { cause: 'missing', message: 'apps/a/versions.json does not exist', advice: 'appreg add-app' },
    ],
    [
      'no manifest',
      at('missing', 'manifest', 'registry.json'),
      { cause: 'missing', message: 'manifest registry.json does not exist', advice: 'Create it with appreg init' },
    ],
    [
      'a manifest outside of a sparse checkout',
      at('not-checked-out', 'manifest', 'registry.json'),
      { cause: 'not-checked-out', message: 'git has it', advice: 'git sparse-checkout add' },
    ],
    [
      'no artifact',
      at('missing', 'artifact', 'apps/a/1.tar.gz'),
      { cause: 'missing', message: 'artifact apps/a/1.tar.gz does not exist', advice: 'Restore the published file' },
    ],
    [
      'no icon',
      at('missing', 'icon', 'apps/a/icon.svg'),
      {
        cause: 'missing',
        message: 'icon apps/a/icon.svg does not exist',
        advice: 'edit-app <app> --icon',
        dedupeKey: 'apps/a/icon.svg',
      },
    ],
    [
      'a link to nothing',
      at('dangling-link', 'icon'),
      { cause: 'missing', message: 'is a link to a file that does not exist' },
    ],
    ['a folder', at('folder'), { cause: 'not-a-file', message: 'is not a regular file: it is a folder' }],
    ['a loop', at('link-loop'), { cause: 'not-a-file', message: 'it is a symbolic link that forms a loop' }],
    ['a pipe', at('not-a-file'), { cause: 'not-a-file', message: 'is not a regular file.' }],
    [
      'a link out of the workspace',
      at('outside'),
      { cause: 'outside', message: 'target outside the workspace', advice: 'regular file' },
    ],
    [
      'a name that would move the cursor',
      at('missing', 'metadata', 'a\u001b[2Jb'),
      { message: 'a\\u{1b}[2Jb', advice: 'add-app' },
    ],
  ],
});

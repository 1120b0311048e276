import { fileNameDiffers } from '../../../../src/core/rules/documents/file-name-differs.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const file = (path: string, listed: string, resource: 'icon' | 'metadata' | 'artifact' | 'manifest' = 'icon') => ({
  resource,
  path,
  listed,
});

ruleTable(fileNameDiffers, {
  clean: [['the same name', file('apps/a/Icon.SVG', 'apps/a/Icon.SVG')]],
  faulty: [
    [
      'another case',
      file('apps/a/icon.svg', 'apps/a/Icon.SVG'),
      {
        cause: 'case',
        message: 'names the file apps/a/icon.svg, but it is listed as apps/a/Icon.SVG: the names differ in case.',
        advice: 'Rename the file to apps/a/icon.svg (git mv)',
      },
    ],
    [
      'another case of a folder, and of the file in it',
      file('apps/a/v.json', 'Apps/a/V.json', 'metadata'),
      { cause: 'case', message: 'names the folder apps, but it is listed as Apps', dedupeKey: 'apps' },
    ],
    [
      'the decomposed form on disk',
      file('caf\u00e9.png', 'cafe\u0301.png'),
      { cause: 'normalization', message: 'caf\\u{e9}.png, but it is listed as cafe\\u{301}.png', advice: 'NFC' },
    ],
    [
      'the decomposed form in the URL',
      file('cafe\u0301.png', 'caf\u00e9.png'),
      { cause: 'normalization', advice: 'NFD' },
    ],
    ['both', file('caf\u00e9.png', 'Cafe\u0301.png'), { cause: 'case-and-normalization' }],
    ['letters beyond ASCII in another case', file('\u00dc.png', '\u00fc.png'), { cause: 'case' }],
    ['a name that would move the cursor', file('a\u001b[2J.png', 'A\u001b[2J.png'), { message: 'a\\u{1b}[2J.png' }],
  ],
});

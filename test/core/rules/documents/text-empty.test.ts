import { textEmpty } from '../../../../src/core/rules/documents/text-empty.ts';
import { textsOf } from '../../../support/app-texts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const withName = (name: string) => textsOf({ name, description: 'Sends mail.' });
const withDescription = (description: string) => textsOf({ name: 'Mail', description });

ruleTable(textEmpty, {
  clean: [
    ['two texts', withName('Mail')],
    ['one character', withName('x')],
    ['a single emoji with joiners', withName('👩‍👩‍👧')],
    ['Arabic with marks of direction', withName('\u200fبريد\u200f')],
    ['punctuation alone', withDescription('…')],
  ],
  faulty: [
    ['an empty name', withName(''), { at: '/name', message: 'is empty' }],
    ['spaces', withName('   '), { at: '/name', message: 'is blank' }],
    ['a zero-width space', withName('\u200b'), { at: '/name', message: 'is blank' }],
    [
      'every other kind of nothing',
      withName('\u00a0\u00ad\u2007\u202e\u2060\ufeff\u3164\u2800\t\n'),
      { at: '/name', message: 'is blank' },
    ],
    ['a control character alone', withDescription('\u0000'), { at: '/description', message: 'is blank' }],
    ['an empty description', withDescription(''), { at: '/description', advice: 'sentence' }],
    ['both', textsOf({ name: '', description: ' ' }), [{ at: '/name' }, { at: '/description' }]],
  ],
});

import { textEmpty } from '../../../../src/core/rules/documents/text-empty.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const named = (name: string) => ({ name, description: 'Sends mail.' });
const described = (description: string) => ({ name: 'Mail', description });

ruleTable(textEmpty, {
  clean: [
    ['two texts', named('Mail')],
    ['one character', named('x')],
    ['a single emoji with joiners', named('👩‍👩‍👧')],
    ['Arabic with marks of direction', named('\u200fبريد\u200f')],
    ['punctuation alone', described('…')],
  ],
  faulty: [
    ['an empty name', named(''), { at: '/name', message: 'is empty' }],
    ['spaces', named('   '), { at: '/name', message: 'is blank' }],
    ['a zero-width space', named('\u200b'), { at: '/name', message: 'is blank' }],
    [
      'every other kind of nothing',
      named('\u00a0\u00ad\u2007\u202e\u2060\ufeff\u3164\u2800\t\n'),
      { at: '/name', message: 'is blank' },
    ],
    ['a control character alone', described('\u0000'), { at: '/description', message: 'is blank' }],
    ['an empty description', described(''), { at: '/description', advice: 'sentence' }],
    ['both', { name: '', description: ' ' }, [{ at: '/name' }, { at: '/description' }]],
  ],
});

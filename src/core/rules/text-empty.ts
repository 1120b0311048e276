import { defineRule } from '../rule.ts';

const BLANK = /[\s\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]+/g;

export const textEmpty = defineRule({
  id: 'text-empty',
  on: 'app',
  needs: ['name', 'description'],
  severity: 'warning',
  spec: '2.1',
  symptom: null,
  when: 'the `name` or `description` of an app is empty or blank',
  why: 'Subscribers choose apps by these two texts.',
  check({ name, description }) {
    const problems = [];
    for (const [field, text] of [['name', name], ['description', description]] as const) {
      if (text.replace(BLANK, '') !== '') continue;
      problems.push({ at: `/${field}`, message: `The ${field} is ${text === '' ? 'empty' : 'blank'}.`, advice: field === 'name' ? 'Write the display name of the app.' : 'Say in a sentence what the app does.' });
    }
    return problems;
  },
});

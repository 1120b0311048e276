import { message } from '../../text/message.ts';
import { counted, safeExcerpt } from '../../text/text.ts';
import { defineRule } from '../rule.ts';

/** Apps and versions that a message names. */
const NAMED = 5;

export const workspaceBehind = defineRule({
  id: 'workspace-behind',
  title: 'Served app or version that is not stored',
  on: 'deployment',
  needs: ['source', 'unstored'],
  severity: 'note',
  spec: null,
  symptom: null,
  owner: 'author',
  refusesVersion: false,
  failsWhen: 'the host serves an app or a version that the stored files, which it was compared with, do not list',
  why: 'Once these files are deployed, subscribers lose it. Often a newer state was published from another place, and the workspace is older.',
  examples: {
    bad: `stored in HEAD: clock 1.0.0, since the commit of 2026-11-14T09:00:00Z
serves clock 1.0.0
serves clock 1.1.0`,
    good: `stored in HEAD: clock 1.0.0, since the commit of 2026-11-14T09:00:00Z
serves clock 1.0.0`,
  },
  check({ source, unstored }) {
    if (unstored.length === 0) return null;
    const names = unstored.map(({ app, version }) =>
      version === null ? `the app ${safeExcerpt(app, 80)}` : `${safeExcerpt(app, 80)} ${safeExcerpt(version, 60)}`,
    );
    const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
    return {
      message: message`${counted(names.length, 'entry', 'entries')} that the host serves ${names.length === 1 ? 'is' : 'are'} not in ${safeExcerpt(source, 100)}: ${names.slice(0, NAMED).join(', ')}${more}.`,
      advice: message`Update the files before they are deployed, for example with git pull.`,
      evidence: { stored: source, unstored: names.slice(0, NAMED) },
    };
  },
});

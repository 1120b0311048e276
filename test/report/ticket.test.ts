import { expect, test } from 'vitest';
import { judge } from '../../src/core/engine/judge.ts';
import { reportTicket } from '../../src/report/ticket.ts';
import { entry, snapshot } from '../support/snapshots.ts';

/** The Markdown for a ticket that is made from a report alone, as for a page of the service. */

const SEEN_AT = '2026-11-14T12:00:00.000Z';

test('names each symptom, each cause with its next step, and collapses the evidence', () => {
  const facts = snapshot({ apps: { clock: entry('clock', { blockStyle: { iconUrl: 'nothing', color: 'blue' } }) } });
  const text = reportTicket(judge(facts, { command: 'verify' }), SEEN_AT);
  expect(text).toMatch(/^## Diagnosis of `/);
  expect(text).toContain('| App does not appear |');
  expect(text).toContain('  - next: ');
  const [visible = '', evidence = ''] = text.split('<details><summary>Evidence</summary>');
  expect(visible).toContain('`url-malformed`');
  expect(evidence).toContain('</details>');
  expect(text).toContain('2026-11-14 12:00:00 UTC');
  expect(text).not.toContain('--verbose');
});

test('opens and closes every collapsed part, whatever the registry contains', () => {
  const nasty = '</details><script>alert(1)</script>\n## x';
  const facts = snapshot({ apps: { [nasty]: entry('a', { blockStyle: { iconUrl: nasty, color: nasty } }) } });
  const text = reportTicket(judge(facts, { command: 'verify' }), SEEN_AT);
  const bare = text.replaceAll(/(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
  expect(bare).not.toContain('<script>');
  expect(bare.match(/^<details>/gm)).toHaveLength(bare.match(/<\/details>/g)?.length ?? 0);
});

import { expect, test } from 'vitest';
import { startJudging } from '../../src/core/engine/judge.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { documentText } from '../../src/core/json/json.ts';
import { render } from '../../src/report/index.ts';
import { NOW } from '../support/core-facts.ts';
import { snapshot } from '../support/snapshots.ts';

/** Hostile text of an about file in terminals and in the annotations of CI systems. */

const HOSTILE = [
  '<script>alert(1)</script>',
  '\u001b[31mred\u001b[0m',
  '\u202Ereversed\u2066',
  '\n::error file=x::y',
  '##[error]x',
  '##vso[task.setvariable variable=x]y',
  '[x](javascript:alert(1)) ![x](https://evil.example/x.png)',
];

function reportOn(text: string): Report {
  const facts = snapshot('{ "apps": {} }');
  const about = {
    url: 'https://apps.example.com/a.about.json',
    file: 'a.about.json',
    web: { missing: { code: 'offline' as const }, runWide: true },
    content: documentText(
      JSON.stringify({ schema: 1, [text]: 1, versions: { '1.0.0': { deprecated: { reason: text, message: text } } } }),
    ),
  };
  const missing = about.web;
  const judging = startJudging({ command: 'lint', target: '.', now: NOW });
  judging.manifest(facts.manifest);
  judging.app({
    key: 'a',
    metadata: { ...about, content: documentText('{ "versions": [] }') },
    icon: { url: null, file: null, web: missing, content: missing, image: missing },
    artifacts: [],
    about,
  });
  return judging.finish(0);
}

test.each(HOSTILE)('%j', (text) => {
  const report = reportOn(text);
  expect(report.findings.map(({ rule }) => rule)).toContain('about-invalid');
  for (const format of ['pretty', 'github', 'gitlab', 'markdown', 'json'] as const) {
    const output = render(report, format, { verbose: true });
    // eslint-disable-next-line no-control-regex
    expect(output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|##\[|##vso\[/);
    const commands = output.split('\n').filter((line) => line.startsWith('::'));
    for (const line of commands) expect(line).toMatch(/^::(error|warning|notice) /);
  }
  // Text in code spans is shown as it is.
  const outsideCode = render(report, 'markdown').replace(/`[^`\n]*`/g, '');
  expect(outsideCode).not.toMatch(/<script>|\]\(javascript:|!\[/);
});

import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
// @ts-expect-error a script without types
import { newRule } from '../../scripts/new-rule.mjs';
import { folder } from '../support/folders.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const create = newRule as (path: string | undefined, subject: string | undefined, root: string) => string[];

function project(): string {
  const copy = folder();
  cpSync(join(root, 'src/core'), join(copy, 'src/core'), { recursive: true });
  return copy;
}

test('new-rule writes the rule, its test and its entry in the list', () => {
  const copy = project();
  const read = (file: string): string => readFileSync(join(copy, file), 'utf8');
  expect(create('url-too-long', 'url', copy)).toEqual([
    'src/core/rules/urls/url-too-long.ts',
    'test/core/rules/urls/url-too-long.test.ts',
    'src/core/rules/index.ts',
  ]);
  expect(read('src/core/rules/urls/url-too-long.ts')).toContain(
    "export const urlTooLong = defineRule({\n  id: 'url-too-long'",
  );
  expect(read('test/core/rules/urls/url-too-long.test.ts')).toContain('ruleTable(urlTooLong, {');
  expect(read('src/core/rules/index.ts')).toContain("import { urlTooLong } from './urls/url-too-long.ts';");
  expect(read('src/core/rules/index.ts')).toMatch(/\n {2}urlTooLong,\n\];/);
});

test('new-rule accepts an id of one word', () => {
  expect(create('http/slow', 'resource', project())[0]).toBe('src/core/rules/http/slow.ts');
});

test.each(['document', 'resource', 'artifact', 'icon', 'workspace', 'host'])(
  'new-rule writes examples to complete for a rule about a %s',
  (subject) => {
    const copy = project();
    const [rule = ''] = create('new-one', subject, copy);
    expect(readFileSync(join(copy, rule), 'utf8')).toMatch(/examples: \{\n {4}bad: '.+ with a finding',\n {4}good: '/);
  },
);

test.each([
  {
    path: undefined,
    subject: undefined,
    message: /^Usage: npm run new-rule .*\nSubjects: document, .*\nGroups: .*http/,
  },
  { path: 'url-too-long', subject: undefined, message: /^Usage: npm run new-rule/ },
  { path: 'links/url-too-long', subject: 'url', message: /"links" is not a group of rules\. Groups: .*http/ },
  { path: 'Urls', subject: 'url', message: /"Urls" is not a rule id/ },
  { path: '../x/y-z', subject: 'url', message: /is not a rule id/ },
  { path: 'urls/url-too-long', subject: 'link', message: /"link" is not a subject\. Subjects: document/ },
  { path: 'urls/url-insecure', subject: 'url', message: /The rule "url-insecure" exists/ },
])('new-rule refuses $path $subject', ({ path, subject, message }) => {
  expect(() => create(path, subject, project())).toThrow(message);
});

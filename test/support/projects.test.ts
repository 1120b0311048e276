import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesByProject, scenarioReason, testFiles } from './projects.ts';
import { LONG } from './shared-last.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

test('a scenario says why it is one, in its first line', () => {
  expect(scenarioReason('// Scenario: nodes are killed.\nimport')).toBe('nodes are killed.');
  for (const text of ['import', '\n// Scenario: too late.\n', '// Scenario:\n', '// scenario: x.\n'])
    expect(scenarioReason(text)).toBeNull();
  const { scenarios } = filesByProject();
  expect(scenarios.length).toBeGreaterThan(0);
  // A line with a mistake in it would make a scenario run with every other test.
  const mentions = testFiles().filter((file) => /^\W*scenario\b/im.test(read(file).slice(0, 200)));
  expect(mentions).toEqual(scenarios);
});

test('CI runs every project', () => {
  const projects = [...read('vitest.config.ts').matchAll(/\bname: '(\w+)'/g)].map(([, name]) => name);
  const run = [...read('.ci/run').matchAll(/--project=(\w+)/g)].map(([, name]) => name);
  expect(run.toSorted()).toEqual(projects.toSorted());
});

test('a file that replaces modules has a process of its own', () => {
  const { isolated } = filesByProject();
  expect(isolated).toContain('test/store/failing-disks.test.ts');
  // Files of the project `unit` share their modules.
  expect(isolated.filter((file) => /^test\/(core|author|report)\//.test(file))).toEqual([]);
});

test('the long files exist', () => {
  expect(testFiles()).toEqual(expect.arrayContaining(LONG.map((name) => `${name}.test.ts`)));
});

import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runJudge } from '../../src/cli/commands/judge.ts';
import { runLint } from '../../src/cli/commands/lint.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { folder } from '../support/folders.ts';
import { entry, metadataWith, snapshot } from '../support/snapshots.ts';
import { contextIn, type Recorded, refusal } from './author-support.ts';

/** Several inputs of a check, some of which cannot be used. */

const REGISTRY = {
  'registry.json': { apps: { a: entry('a', { name: '' }) } },
  'apps/a/versions.json': metadataWith('1.0.0'),
};
const good = (): string => folder({ ...prefixed('one', REGISTRY), ...prefixed('two', REGISTRY), empty: '', 'x/y': '' });

function prefixed(path: string, files: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [`${path}/${name}`, content]));
}
const reported = ({ printed }: Recorded): Report => JSON.parse(printed.out.join('')) as Report;

const facts = (): string => {
  const saved = snapshot({ apps: { a: entry('a', { name: '' }) } });
  return folder({ 'facts.json': saved, 'empty.json': '', 'other.json': { snapshot: 9 }, 'x/y': '' });
};

describe('lint', () => {
  test('names all paths that cannot be used, and judges the others', async () => {
    const root = good();
    const context = contextIn(root, { format: 'json' });
    expect(await runLint(context, ['gone', 'one', 'x', 'two', 'lost.json'], {})).toBe(2);
    const report = reported(context);
    expect(report.outcome).toBe('incomplete');
    expect(report.findings.map(({ rule, file }) => `${rule} ${file}`)).toEqual([
      'text-empty one/registry.json',
      'text-empty two/registry.json',
    ]);
    const [reason] = report.notJudged.filter(({ rule }) => rule === '*');
    for (const name of ['gone does not exist', 'No registry manifest in', 'lost.json does not exist']) {
      expect(reason!.reason).toContain(name);
      expect(context.printed.error.join('\n')).toContain(name);
    }
    expect(context.printed.error).toHaveLength(3);
  });

  test('names all of them if none can be used', async () => {
    const root = good();
    symlinkSync('loop', join(root, 'loop'));
    const context = contextIn(root, { format: 'json' });
    const error = await refusal(runLint(context, ['gone', 'loop', 'x'], {}));
    expect(error).toMatchObject({ code: 'inputs-unusable', exit: 2 });
    expect(error.message).toMatch(
      /gone does not exist\.\n.*loop is a symbolic link that forms a loop\.\n.*No registry/,
    );
    expect(reported(context)).toMatchObject({ outcome: 'incomplete', error: { code: 'inputs-unusable', exit: 2 } });
  });

  test.each(['json', 'sarif', 'junit'] as const)(
    'hides the password of a URL in place of a path (%s)',
    async (format) => {
      const context = contextIn(folder(), { format });
      const error = await refusal(runLint(context, ['https://reader:pa55word@example.com/registry.json'], {}));
      expect(`${error.message} ${error.hint} ${context.printed.out.join('')}`).not.toContain('pa55word');
      expect(context.printed.out.join('')).not.toBe('');
    },
  );

  test('has the error itself for a single path', async () => {
    expect(await refusal(runLint(contextIn(good()), ['gone'], {}))).toMatchObject({ code: 'path-missing', exit: 2 });
  });

  test('fixes nothing if a path cannot be used', async () => {
    const error = await refusal(runLint(contextIn(good()), ['one', 'gone'], { fix: true }));
    expect(error).toMatchObject({ code: 'path-missing', exit: 2 });
  });

  test('names a configuration that cannot be read, and a path that does not exist', async () => {
    const root = good();
    writeFileSync(join(root, 'two/appreg.config.json'), '{ "baseUrl": 1 }');
    const context = contextIn(root, { format: 'json' });
    expect(await runLint(context, ['two', 'gone', 'one'], {})).toBe(2);
    expect(context.printed.error.join('\n')).toMatch(/baseUrl[^]*gone does not exist/);
    expect(reported(context).findings.map(({ file }) => file)).toEqual(['one/registry.json']);
  });
});

describe('judge', () => {
  test('names all files that cannot be used, and judges the others', async () => {
    const context = contextIn(facts(), { format: 'json' });
    expect(await runJudge(context, ['gone.json', 'facts.json', 'empty.json', 'x', 'other.json'])).toBe(2);
    const report = reported(context);
    expect(report.outcome).toBe('incomplete');
    expect(report.findings.map(({ rule }) => rule)).toEqual(['text-empty']);
    const names = [/gone\.json does not exist/, /empty\.json\S* .*empty/, /x is a folder/, /other\.json\S* .*format/];
    expect(context.printed.error).toHaveLength(names.length);
    for (const name of names) expect(context.printed.error.join('\n')).toMatch(name);
    expect(report.notJudged.find(({ rule }) => rule === '*')!.reason).toMatch(/gone\.json[^]*other\.json/);
  });

  test('names all of them if none can be used', async () => {
    const error = await refusal(runJudge(contextIn(facts()), ['gone.json', 'empty.json']));
    expect(error).toMatchObject({ code: 'inputs-unusable', exit: 2 });
    expect(error.message).toMatch(/gone\.json does not exist\.\n.*empty\.json/);
  });
});

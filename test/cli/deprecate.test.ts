import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runAddApp } from '../../src/cli/commands/add-app.ts';
import { runDeprecate } from '../../src/cli/commands/deprecate.ts';
import { runDiff } from '../../src/cli/commands/diff.ts';
import { runEditApp } from '../../src/cli/commands/edit-app.ts';
import { runInit } from '../../src/cli/commands/init.ts';
import { runLint } from '../../src/cli/commands/lint.ts';
import { runRemoveApp } from '../../src/cli/commands/remove-app.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { checksum } from '../support/live-registry.ts';
import { folder } from '../support/folders.ts';
import { contextIn, refusal, snapshot } from './author-support.ts';

const BASE = 'https://apps.example.com/';
const ABOUT = 'apps/clock/versions.about.json';
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
const LEAK = { reason: 'security' as const, message: 'It leaks tokens.', use: '1.2.1' };

/** A workspace with the app `clock`, and these versions of it. */
async function workspace(versions: readonly string[] = ['1.1.0', '1.2.0', '1.2.1']): Promise<string> {
  const dir = folder();
  await runInit(contextIn(dir), undefined, { baseUrl: BASE });
  writeFileSync(join(dir, 'i.svg'), SVG);
  const clock = { name: 'Clock', description: 'Tells the time.', icon: 'i.svg', blockColor: '#d9480f' };
  await runAddApp(contextIn(dir), 'clock', clock);
  const entries = versions.map((version) => ({
    version,
    artifactUrl: `https://cdn.example.com/${version}.tar.gz`,
    artifactChecksum: checksum(Buffer.from(version)),
  }));
  writeFileSync(join(dir, 'apps/clock/versions.json'), `${JSON.stringify({ versions: entries }, null, 2)}\n`);
  return dir;
}

const textOf = (dir: string): string => readFileSync(join(dir, ABOUT), 'utf8');
interface AboutJson {
  app?: object;
  versions: Record<string, { deprecated?: { since: string; reason: string } }>;
}
const aboutOf = (dir: string): AboutJson => JSON.parse(textOf(dir)) as AboutJson;

async function lintOf(dir: string): Promise<string[]> {
  const context = contextIn(dir, { format: 'json' });
  await runLint(context, [], { format: 'json' });
  const { findings } = JSON.parse(context.printed.out.join('\n')) as Report;
  return findings.map(({ rule, severity, version, file, line }) => `${severity} ${rule} ${version} ${file}:${line}`);
}

/** The files with their digests, without the about file. */
function filesIn(dir: string): string[] {
  return snapshot(dir)
    .split('\n')
    .filter((line) => / \S{64}$/.test(line) && !line.includes('about.json'));
}

describe('deprecate', () => {
  test('writes the about file, and nothing else', async () => {
    const dir = await workspace();
    const before = filesIn(dir);
    const context = contextIn(dir);
    expect(await runDeprecate(context, 'clock', '1.2.0', LEAK)).toBe(0);
    expect(context.printed.out.join('\n')).toBe(`deprecated clock 1.2.0: ${ABOUT}`);
    expect(aboutOf(dir)).toEqual({
      schema: 1,
      versions: { '1.2.0': { deprecated: { ...LEAK, since: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string } } },
    });
    expect(filesIn(dir)).toEqual(before);
    expect(await lintOf(dir)).toEqual([]);
  });

  test('the same again changes nothing, another message keeps the date', async () => {
    const dir = await workspace();
    await runDeprecate(contextIn(dir), 'clock', '1.2.0', LEAK);
    writeFileSync(join(dir, ABOUT), textOf(dir).replace(/"since": "[^"]+"/, '"since": "2020-01-01"'));
    const text = textOf(dir);
    const again = contextIn(dir);
    expect(await runDeprecate(again, 'clock', '1.2.0', LEAK)).toBe(0);
    expect(again.printed.out.join('\n')).toContain('nothing to do');
    expect(textOf(dir)).toBe(text);
    await runDeprecate(contextIn(dir), 'clock', '1.2.0', { ...LEAK, reason: 'broken', replace: true });
    expect(aboutOf(dir).versions['1.2.0']?.deprecated).toMatchObject({ since: '2020-01-01', reason: 'broken' });
  });

  const OLD = { reason: 'unmaintained' as const, message: 'Only 1.2 gets corrections.' };

  test.each([{ dryRun: false }, { dryRun: true }])(
    'a range keeps and names a retirement of before (%j)',
    async (run) => {
      const dir = await workspace();
      await runDeprecate(contextIn(dir), 'clock', '1.2.0', LEAK);
      const leak = aboutOf(dir).versions['1.2.0'];
      const text = textOf(dir);
      const context = contextIn(dir);
      expect(await runDeprecate(context, 'clock', '<1.2.1', { ...OLD, ...run })).toBe(1);
      expect(context.printed.error.join('\n')).toMatch(
        /^clock 1\.2\.0 is retired already, and stays so: “It leaks tokens\.” \(security, use 1\.2\.1, since .*--replace/s,
      );
      expect(aboutOf(dir).versions['1.2.0']).toEqual(leak);
      if (run.dryRun) expect(textOf(dir)).toBe(text);
      else expect(aboutOf(dir).versions['1.1.0']?.deprecated).toMatchObject(OLD);
    },
  );

  test.each([
    ['another reason', { ...LEAK, reason: 'broken' as const }],
    ['another message', { ...LEAK, message: 'It leaks.' }],
    ['no replacement', { reason: LEAK.reason, message: LEAK.message }],
  ])('%s does not overwrite, also for one version', async (_, wanted) => {
    const dir = await workspace();
    await runDeprecate(contextIn(dir), 'clock', '1.2.0', LEAK);
    const text = textOf(dir);
    const context = contextIn(dir, { format: 'json' });
    expect(await runDeprecate(context, 'clock', '1.2.0', wanted)).toBe(1);
    expect(textOf(dir)).toBe(text);
    expect(JSON.parse(context.printed.out.join(''))).toMatchObject({
      status: 'unchanged',
      changed: [],
      kept: [{ version: '1.2.0', ...LEAK }],
      replaced: [],
      files: [],
    });
  });

  test('--replace overwrites, and says what was replaced', async () => {
    const dir = await workspace();
    await runDeprecate(contextIn(dir), 'clock', '1.2.0', LEAK);
    const planned = contextIn(dir);
    expect(await runDeprecate(planned, 'clock', '<1.2.1', { ...OLD, replace: true, dryRun: true })).toBe(0);
    const before = /\n {2}before, 1\.2\.0: “It leaks tokens\.” \(security, use 1\.2\.1, since \d{4}-\d\d-\d\d\)$/;
    expect(planned.printed.out.join('\n')).toMatch(before);
    const context = contextIn(dir);
    expect(await runDeprecate(context, 'clock', '<1.2.1', { ...OLD, replace: true })).toBe(0);
    expect(context.printed.out.join('\n')).toMatch(before);
    expect(aboutOf(dir).versions['1.2.0']?.deprecated).toMatchObject(OLD);
    expect(aboutOf(dir).versions['1.2.0']?.deprecated).not.toHaveProperty('use');
    const undone = contextIn(dir, { format: 'json' });
    await runDeprecate(undone, 'clock', '1.2.0', { undo: true });
    expect(JSON.parse(undone.printed.out.join(''))).toMatchObject({ replaced: [{ version: '1.2.0', ...OLD }] });
  });

  test('two retirements of one version at once: the second does not overwrite the first', async () => {
    const dir = await workspace();
    const ends = await Promise.allSettled([
      runDeprecate(contextIn(dir), 'clock', '1.2.0', LEAK),
      runDeprecate(contextIn(dir), 'clock', '1.2.0', OLD),
    ]);
    expect(ends.filter((end) => end.status === 'fulfilled' && end.value === 0)).toHaveLength(1);
    expect([LEAK.message, OLD.message]).toContain(
      (aboutOf(dir).versions['1.2.0']?.deprecated as { message: string } | undefined)?.message,
    );
  });

  test('a range, and its withdrawal', async () => {
    const dir = await workspace();
    await runDeprecate(contextIn(dir), 'clock', '<1.2.1', LEAK);
    expect(Object.keys(aboutOf(dir).versions)).toEqual(['1.1.0', '1.2.0']);
    const context = contextIn(dir);
    expect(await runDeprecate(context, 'clock', '1.x', { undo: true })).toBe(0);
    expect(context.printed.out.join('\n')).toContain('withdrew the retirement of clock 1.1.0, 1.2.0');
    expect(aboutOf(dir).versions).toEqual({});
  });

  test('--dry-run shows the lines, and writes nothing', async () => {
    const dir = await workspace();
    const context = contextIn(dir);
    expect(await runDeprecate(context, 'clock', '1.2.0', { ...LEAK, dryRun: true })).toBe(0);
    expect(context.printed.out.join('\n')).toContain('+         "reason": "security",');
    expect(existsSync(join(dir, ABOUT))).toBe(false);
  });

  test.each<[string, string, object, string, RegExp]>([
    ['a version that is not listed', '1.2.9', LEAK, 'version-unknown', /1\.2\.9 is not listed/],
    ['a range without versions', '>5', LEAK, 'version-unknown', /No listed version/],
    ['no version', 'latest', LEAK, 'option-invalid', /neither a version nor a range/],
    ['no reason', '1.2.0', { message: 'x' }, 'option-missing', /--reason is missing/],
    ['no message', '1.2.0', { reason: 'broken' }, 'option-missing', /--message is missing/],
    ['a long message', '1.2.0', { ...LEAK, message: 'x'.repeat(281) }, 'option-invalid', /281 characters/],
    ['several lines', '1.2.0', { ...LEAK, message: 'It leaks.\nUse 1.2.1.' }, 'option-invalid', /several lines/],
    ['--undo with --replace', '1.2.0', { undo: true, replace: true }, 'option-conflict', /--replace/],
    ['--undo with a reason', '1.2.0', { ...LEAK, undo: true }, 'option-conflict', /--undo/],
    ['a replacement that is not listed', '1.2.0', { ...LEAK, use: '1.3.0' }, 'rule-violation', /not listed/],
    ['a lower replacement', '1.2.0', { ...LEAK, use: '1.1.0' }, 'rule-violation', /not higher/],
  ])('%s is refused, and nothing is written', async (_, version, options, code, text) => {
    const dir = await workspace();
    const error = await refusal(runDeprecate(contextIn(dir), 'clock', version, options));
    expect(error).toMatchObject({ code });
    expect(error.message).toMatch(text);
    expect(existsSync(join(dir, ABOUT))).toBe(false);
  });

  test('a broken about file is not edited', async () => {
    const dir = await workspace();
    writeFileSync(join(dir, ABOUT), '{ "schema": 1, "versions": [] }');
    expect(await refusal(runDeprecate(contextIn(dir), 'clock', '1.2.0', LEAK))).toMatchObject({
      code: 'about-invalid',
      exit: 1,
    });
  });

  test('twenty at once are all in the file', async () => {
    const versions = Array.from({ length: 21 }, (_, patch) => `1.0.${patch}`);
    const dir = await workspace(versions);
    await Promise.all(
      versions
        .slice(0, 20)
        .map((version) =>
          runDeprecate(contextIn(dir), 'clock', version, { reason: 'broken', message: `Not ${version}.` }),
        ),
    );
    expect(Object.keys(aboutOf(dir).versions).toSorted()).toEqual(versions.slice(0, 20).toSorted());
  });

  test('hostile text is escaped in the terminal, and stays text in the file', async () => {
    const dir = await workspace();
    const message = '\u001b[31m<script>\u202e::error::x';
    const context = contextIn(dir);
    await runDeprecate(context, 'clock', '1.2.0', { reason: 'broken', message, dryRun: true });
    const shown = context.printed.out.join('\n');
    // eslint-disable-next-line no-control-regex
    expect(shown).not.toMatch(/[\u001b\u202e]/);
    await runDeprecate(contextIn(dir), 'clock', '1.2.0', { reason: 'broken', message });
    expect(aboutOf(dir).versions['1.2.0']?.deprecated).toMatchObject({ message });
  });
});

describe('the other commands', () => {
  test('edit-app sets links and the license', async () => {
    const dir = await workspace();
    const manifest = readFileSync(join(dir, 'registry.json'), 'utf8');
    const links = {
      homepage: 'https://a.example/',
      source: 'https://b.example/',
      licence: 'MIT',
      support: 'mailto:a@b.example',
    };
    const context = contextIn(dir);
    expect(await runEditApp(context, 'clock', links)).toBe(0);
    expect(aboutOf(dir).app).toEqual(links);
    expect(readFileSync(join(dir, 'registry.json'), 'utf8')).toBe(manifest);
    expect(context.printed.out.join('\n')).toContain('homepage: none → “https://a.example/”');
    expect(await refusal(runEditApp(contextIn(dir), 'clock', { homepage: 'javascript:alert(1)' }))).toMatchObject({
      code: 'url-invalid',
      message: expect.stringMatching(/^--homepage “javascript:alert\(1\)”: /) as string,
      hint: 'Give a URL that begins with https:// or http://.',
    });
    expect(await refusal(runEditApp(contextIn(dir), 'clock', { support: 'ftp://a.example/' }))).toMatchObject({
      hint: 'Give a URL that begins with https://, http:// or mailto:.',
    });
  });

  test('lint reports about files with their lines', async () => {
    const dir = await workspace();
    writeFileSync(join(dir, ABOUT), '{\n  "schema": 1,\n  "versions": {\n    "1.3.0": { "notes": 1 }\n  }\n}\n');
    expect(await lintOf(dir)).toEqual([`error about-invalid null ${ABOUT}:4`]);
    writeFileSync(join(dir, ABOUT), '{\n  "schema": 1,\n  "versions": {\n    "1.3.0": { "notes": "x" }\n  }\n}\n');
    expect(await lintOf(dir)).toEqual([`warning about-version-unknown 1.3.0 ${ABOUT}:4`]);
  });

  test('diff names retirements, and remove-app the file that stays', async () => {
    const [before, after] = [await workspace(), await workspace()];
    await runDeprecate(contextIn(after), 'clock', '1.2.0', LEAK);
    const context = contextIn(after);
    await runDiff(context, before, after, {});
    expect(context.printed.out.join('\n')).toContain('clock 1.2.0: retired (security)');
    const removing = contextIn(after, { yes: true });
    await runRemoveApp(removing, 'clock', { yes: true });
    expect(removing.printed.out.join('\n')).toContain(ABOUT);
  });
});

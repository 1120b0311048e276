import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runAssemble } from '../../src/cli/commands/assemble.ts';
import { runEditApp } from '../../src/cli/commands/edit-app.ts';
import { runInit } from '../../src/cli/commands/init.ts';
import { folder } from '../support/folders.ts';
import { contextIn, refusal, snapshot } from './author-support.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
// One transparent pixel.
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const BASE = 'https://apps.example.com/';

interface Entry {
  name: string;
  description: string;
  blockStyle: { iconUrl: string; color: string };
  appMetadataUrl: string;
}

const textOf = (dir: string): string => readFileSync(join(dir, 'registry.json'), 'utf8');
const entryOf = (dir: string, key = 'clock'): Entry =>
  (JSON.parse(textOf(dir)) as { apps: Record<string, Entry> }).apps[key]!;

/** A workspace whose app `clock` is described by a folder, and assembled from it. */
async function describedWorkspace(sources = 'apps', config: object = {}): Promise<{ dir: string; app: string }> {
  const dir = folder();
  await runInit(contextIn(dir), undefined, { baseUrl: BASE });
  const file = join(dir, 'appreg.config.json');
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...config }));
  const app = join(dir, sources, 'clock');
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, 'logo.svg'), SVG);
  writeFileSync(join(app, 'app.json'), DESCRIPTION);
  await runAssemble(contextIn(dir), {});
  return { dir, app };
}

const DESCRIPTION =
  '{\r\n\t"entry": "main.ts", "name": "Clock",\r\n\t"description": "Tells the time.", "color": "#d9480f" }';

describe('edit-app of an app that its folder describes', () => {
  const SOURCES = [
    { sources: 'apps', config: {} },
    { sources: 'src', config: { release: [{ folder: 'src/*', entry: 'main.ts' }] } },
  ];

  test.each(SOURCES)('changes app.json in $sources with the manifest', async ({ sources, config }) => {
    const { dir, app } = await describedWorkspace(sources, config);
    const context = contextIn(dir);
    expect(await runEditApp(context, 'clock', { name: 'World Clock', blockColor: '#000000' })).toBe(0);
    expect(readFileSync(join(app, 'app.json'), 'utf8')).toBe(
      DESCRIPTION.replace('"Clock"', '"World Clock"').replace('#d9480f', '#000000'),
    );
    expect(context.printed.out.join('\n')).toContain(`edited clock: registry.json, ${sources}/clock/app.json`);
    const before = snapshot(dir);
    expect(await runAssemble(contextIn(dir), {})).toBe(0);
    expect(snapshot(dir)).toBe(before);
  });

  test.each(SOURCES)('replaces the icon in $sources under its name', async ({ sources, config }) => {
    const { dir, app } = await describedWorkspace(sources, config);
    const other = SVG.replaceAll('8', '9');
    writeFileSync(join(dir, 'i.svg'), other);
    expect(await runEditApp(contextIn(dir), 'clock', { icon: 'i.svg' })).toBe(0);
    expect(readFileSync(join(app, 'logo.svg'), 'utf8')).toBe(other);
    expect(readFileSync(join(dir, 'apps/clock/logo.svg'), 'utf8')).toBe(other);
    expect(readFileSync(join(app, 'app.json'), 'utf8')).toBe(DESCRIPTION);
    const before = snapshot(dir);
    expect(await runAssemble(contextIn(dir), {})).toBe(0);
    expect(snapshot(dir)).toBe(before);
  });

  test.each([{ icon: 'i.png' }, { icon: 'https://x.test/i.png' }])('refuses a second icon, $icon', async (options) => {
    const { dir } = await describedWorkspace();
    writeFileSync(join(dir, 'i.png'), PNG);
    const before = snapshot(dir);
    expect(await refusal(runEditApp(contextIn(dir), 'clock', options))).toMatchObject({
      code: 'already-exists',
      exit: 1,
      summary: 'apps/clock/logo.svg already exists: it is the icon of the app, which has only one.',
    });
    expect(snapshot(dir)).toBe(before);
  });

  test('writes the URL of an icon, and takes it away with an icon file', async () => {
    const { dir, app } = await describedWorkspace('src', { release: [{ folder: 'src/*', entry: 'main.ts' }] });
    rmSync(join(app, 'logo.svg'));
    expect(await runEditApp(contextIn(dir), 'clock', { icon: 'https://x.test/i.png' })).toBe(0);
    expect(readFileSync(join(app, 'app.json'), 'utf8')).toContain('"iconUrl": "https://x.test/i.png"');
    writeFileSync(join(dir, 'i.png'), PNG);
    expect(await runEditApp(contextIn(dir), 'clock', { icon: 'i.png' })).toBe(0);
    expect(readFileSync(join(app, 'app.json'), 'utf8')).toBe(DESCRIPTION);
    const before = snapshot(dir);
    expect(await runAssemble(contextIn(dir), {})).toBe(0);
    expect(snapshot(dir)).toBe(before);
  });

  test('changes app.json alone if the manifest has the text, and only shows it with --dry-run', async () => {
    const { dir, app } = await describedWorkspace();
    const changed = DESCRIPTION.replace('"Clock"', '"Other"');
    writeFileSync(join(app, 'app.json'), changed);
    const context = contextIn(dir);
    expect(await runEditApp(context, 'clock', { name: 'Clock', dryRun: true })).toBe(0);
    expect(context.printed.out.join()).toContain('edit   apps/clock/app.json');
    expect(readFileSync(join(app, 'app.json'), 'utf8')).toBe(changed);
    expect(await runEditApp(contextIn(dir), 'clock', { name: 'Clock' })).toBe(0);
    expect(readFileSync(join(app, 'app.json'), 'utf8')).toBe(DESCRIPTION);
  });

  test('keeps a text of app.json that was not answered with another one', async () => {
    const { dir, app } = await describedWorkspace();
    const changed = DESCRIPTION.replace('Tells the time.', 'Not published yet.');
    writeFileSync(join(app, 'app.json'), changed);
    expect(await runEditApp(contextIn(dir, {}, ['\u0015New\r', '\r', '\r', '\r']), 'clock', {})).toBe(0);
    expect(readFileSync(join(app, 'app.json'), 'utf8')).toBe(changed.replace('"Clock"', '"New"'));
  });

  test('keeps an app.json that only says how the app is built', async () => {
    const { dir, app } = await describedWorkspace();
    writeFileSync(join(app, 'app.json'), '{"entry":"main.ts"}');
    expect(await runEditApp(contextIn(dir), 'clock', { name: 'B' })).toBe(0);
    expect(entryOf(dir).name).toBe('B');
    expect(readFileSync(join(app, 'app.json'), 'utf8')).toBe('{"entry":"main.ts"}');
  });

  test('writes nothing if app.json cannot be edited', async () => {
    const { dir, app } = await describedWorkspace();
    writeFileSync(join(app, 'app.json'), '{');
    const before = snapshot(dir);
    expect(await refusal(runEditApp(contextIn(dir), 'clock', { name: 'B' }))).toMatchObject({
      code: 'document-invalid',
      summary: expect.stringContaining('apps/clock/app.json') as string,
    });
    expect(snapshot(dir)).toBe(before);
  });
});

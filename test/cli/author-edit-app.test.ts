import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runAddApp } from '../../src/cli/commands/add-app.ts';
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

/** A workspace with the app `clock`. */
async function workspace(): Promise<string> {
  const dir = folder();
  await runInit(contextIn(dir), undefined, { baseUrl: BASE });
  writeFileSync(join(dir, 'i.svg'), SVG);
  const clock = { name: 'Clock', description: 'Tells the time.', icon: 'i.svg', blockColor: '#d9480f' };
  await runAddApp(contextIn(dir), 'clock', clock);
  return dir;
}

const textOf = (dir: string): string => readFileSync(join(dir, 'registry.json'), 'utf8');
const entryOf = (dir: string, key = 'clock'): Entry =>
  (JSON.parse(textOf(dir)) as { apps: Record<string, Entry> }).apps[key]!;

describe('edit-app', () => {
  test('changes the named fields and no other byte', async () => {
    const dir = await workspace();
    const before = textOf(dir);
    const context = contextIn(dir);
    expect(await runEditApp(context, 'clock', { name: 'World Clock', blockColor: '#000000' })).toBe(0);
    expect(textOf(dir)).toBe(before.replace('"Clock"', '"World Clock"').replace('#d9480f', '#000000'));
    expect(context.printed.out.join('\n')).toBe(
      'edited clock: registry.json\n  name: “Clock” → “World Clock”\n  color: “#d9480f” → “#000000”',
    );
    expect(context.printed.next.join()).toContain('appreg lint; upload the folder');
  });

  test.each([
    ['CRLF, tabs and no final newline', '{\r\n\t"x": {},\r\n\t"apps": {\r\n\t\tENTRY\r\n\t}\r\n}'],
    ['a minified manifest', '{"apps":{ENTRY},"x":1}'],
    ['unusual white space', '\n{ "apps"\t:{ENTRY\n\n}  }  '],
  ])('preserves %s', async (_, form) => {
    const dir = await workspace();
    const entry =
      '"clock": {"x-n":[1.0,-0,1E5,9007199254740993,"\\u0041\\/\u2028"],"name":"Clock","description":"","blockStyle":{"iconUrl":"https://x.test/i.png","color":"#000000"},"appMetadataUrl":"https://x.test/v.json"}';
    const text = form.replace('ENTRY', () => entry);
    writeFileSync(join(dir, 'registry.json'), text);
    expect(await runEditApp(contextIn(dir), 'clock', { description: 'New.' })).toBe(0);
    expect(textOf(dir)).toBe(text.replace('"description":""', '"description":"New."'));
  });

  test.each([
    ['a duplicate name', '{"apps":{"clock":{}},"apps":{"clock":{}}}'],
    ['a trailing comma', '{"apps":{"clock":{},}}'],
  ])('refuses a manifest with %s, and does not change it', async (_, text) => {
    const dir = await workspace();
    writeFileSync(join(dir, 'registry.json'), text);
    const before = snapshot(dir);
    expect(await refusal(runEditApp(contextIn(dir), 'clock', { name: 'A' }))).toMatchObject({
      code: 'document-invalid',
      exit: 1,
    });
    expect(snapshot(dir)).toBe(before);
  });

  test('writes nothing if the entry already has the values, and reports that', async () => {
    const dir = await workspace();
    const before = snapshot(dir);
    const context = contextIn(dir, { format: 'json' });
    expect(await runEditApp(context, 'clock', { name: 'Clock', icon: 'i.svg', format: 'json' })).toBe(0);
    expect(JSON.parse(context.printed.out.join())).toMatchObject({
      key: 'clock',
      status: 'unchanged',
      changes: [],
      entry: entryOf(dir),
      files: [],
    });
    const text = contextIn(dir);
    await runEditApp(text, 'clock', { name: 'Clock' });
    expect(text.printed.out.join()).toContain('nothing to do');
    expect(snapshot(dir)).toBe(before);
  });

  test('with --dry-run makes every check and writes nothing', async () => {
    const dir = await workspace();
    const before = snapshot(dir);
    const context = contextIn(dir);
    expect(await runEditApp(context, 'clock', { name: 'B', dryRun: true })).toBe(0);
    expect(context.printed.out.join('\n')).toMatch(/^Nothing was written[^]*edit {3}registry.json[^]*“Clock” → “B”$/);
    const insecure = { icon: 'http://x.test/i.png', dryRun: true };
    expect(await refusal(runEditApp(contextIn(dir), 'clock', insecure))).toMatchObject({
      rules: ['url-insecure'],
      exit: 1,
    });
    expect(snapshot(dir)).toBe(before);
  });

  test('edits an app whose key is not URL-safe, but does not use the key in a path', async () => {
    const dir = await workspace();
    const text = textOf(dir).replace('"clock"', '"../clock"');
    writeFileSync(join(dir, 'registry.json'), text);
    expect(await runEditApp(contextIn(dir), '../clock', { name: 'B' })).toBe(0);
    writeFileSync(join(dir, 'i.svg'), PNG);
    expect(await refusal(runEditApp(contextIn(dir), '../clock', { icon: 'i.svg' }))).toMatchObject({
      code: 'app-key-invalid',
    });
  });
});

describe('edit-app --icon', () => {
  test('replaces the file of the app', async () => {
    const dir = await workspace();
    const before = textOf(dir);
    const other = SVG.replaceAll('8', '16');
    writeFileSync(join(dir, 'i.svg'), other);
    expect(await runEditApp(contextIn(dir), 'clock', { icon: 'i.svg' })).toBe(0);
    expect(readFileSync(join(dir, 'apps/clock/icon.svg'), 'utf8')).toBe(other);
    expect(textOf(dir)).toBe(before);
  });

  test('stores an icon of another type in a new file, and preserves the old one', async () => {
    const dir = await workspace();
    writeFileSync(join(dir, 'i.png'), PNG);
    const context = contextIn(dir);
    expect(await runEditApp(context, 'clock', { icon: 'i.png' })).toBe(0);
    expect(entryOf(dir).blockStyle.iconUrl).toBe(`${BASE}apps/clock/icon.png`);
    expect(existsSync(join(dir, 'apps/clock/icon.svg'))).toBe(true);
    expect(context.printed.log).toEqual(['apps/clock/icon.svg was not deleted, although no app uses it any more.']);
  });

  test('does not replace a file that is not the icon of the app', async () => {
    const dir = await workspace();
    writeFileSync(join(dir, 'apps/clock/icon.png'), 'something else');
    writeFileSync(join(dir, 'i.png'), PNG);
    const before = snapshot(dir);
    expect(await refusal(runEditApp(contextIn(dir), 'clock', { icon: 'i.png' }))).toMatchObject({
      code: 'already-exists',
      exit: 1,
      hint: 'Delete it if no app uses it, or give the URL of an icon: --icon <url>',
    });
    expect(snapshot(dir)).toBe(before);
  });

  test('does not replace a file that other apps list, and names them', async () => {
    const dir = await workspace();
    const shared = JSON.stringify(entryOf(dir));
    const lamp = `"lamp": ${shared}, "radio": ${shared}, "other": {}`;
    writeFileSync(join(dir, 'registry.json'), textOf(dir).replace('"clock"', `${lamp}, "clock"`));
    writeFileSync(join(dir, 'i.svg'), SVG.replaceAll('8', '16'));
    const before = snapshot(dir);
    for (const dryRun of [true, false])
      expect(await refusal(runEditApp(contextIn(dir), 'clock', { icon: 'i.svg', dryRun }))).toMatchObject({
        code: 'icon-shared',
        exit: 1,
        effect: 'none',
        summary: 'apps/clock/icon.svg is also the icon of lamp, radio.',
        hint: expect.stringContaining('appreg edit-app lamp --icon <file>') as string,
      });
    expect(snapshot(dir)).toBe(before);
    // As the message advises.
    for (const key of ['lamp', 'radio']) expect(await runEditApp(contextIn(dir), key, { icon: 'i.svg' })).toBe(0);
    expect(await runEditApp(contextIn(dir), 'clock', { icon: 'i.svg' })).toBe(0);
    expect(entryOf(dir, 'lamp').blockStyle.iconUrl).toBe(`${BASE}apps/lamp/icon.svg`);
  });

  test.each([
    ['$(touch pwned)', '<key>'],
    [`a${'b'.repeat(100)}`, `a${'b'.repeat(100)}`],
  ])('prints a command that a shell can run although the other app is %s', async (key, shown) => {
    const dir = await workspace();
    const lamp = `${JSON.stringify(key)}: ${JSON.stringify(entryOf(dir))}`;
    writeFileSync(join(dir, 'registry.json'), textOf(dir).replace('"clock"', `${lamp}, "clock"`));
    writeFileSync(join(dir, 'i.svg'), SVG.replaceAll('8', '16'));
    const { hint } = await refusal(runEditApp(contextIn(dir), 'clock', { icon: 'i.svg' }));
    expect(hint).toContain(`first: appreg edit-app ${shown} --icon <file>`);
  });

  test('judges the icon before it writes anything', async () => {
    const dir = await workspace();
    writeFileSync(join(dir, 'i.svg'), '<!doctype html>');
    const before = snapshot(dir);
    expect(await refusal(runEditApp(contextIn(dir), 'clock', { icon: 'i.svg' }))).toMatchObject({
      code: 'icon-invalid',
    });
    expect(snapshot(dir)).toBe(before);
    writeFileSync(join(dir, 'i.svg'), SVG.replace('<rect', '<script>1</script><rect'));
    const context = contextIn(dir);
    expect(await runEditApp(context, 'clock', { icon: 'i.svg' })).toBe(0);
    expect(context.printed.log.join()).toContain('icon-svg-active');
  });
});

function version(number: string): object {
  return {
    version: number,
    artifactUrl: `${BASE}${number}.tar.gz`,
    artifactChecksum: `sha256:${number.replaceAll('.', '').padStart(64, 'a')}`,
  };
}

function writeVersions(dir: string, path: string, versions: readonly object[]): void {
  writeFileSync(join(dir, path), JSON.stringify({ versions }));
}

describe('edit-app --metadata-url', () => {
  test('requires a metadata file that exists and lists the versions of the app', async () => {
    const dir = await workspace();
    writeVersions(dir, 'apps/clock/versions.json', [version('1.0.0'), version('1.1.0')]);
    const metadataUrl = `${BASE}clock.json`;
    const before = snapshot(dir);
    expect(await refusal(runEditApp(contextIn(dir), 'clock', { metadataUrl }))).toMatchObject({
      code: 'metadata-missing',
      exit: 2,
    });
    expect(snapshot(dir)).toBe(before);
    writeVersions(dir, 'clock.json', [version('1.1.0')]);
    expect(await refusal(runEditApp(contextIn(dir), 'clock', { metadataUrl }))).toMatchObject({
      code: 'rule-violation',
      rules: ['version-withdrawn'],
      exit: 1,
    });
    writeVersions(dir, 'clock.json', [version('1.1.0'), version('1.0.0')]);
    expect(await runEditApp(contextIn(dir), 'clock', { metadataUrl })).toBe(0);
    expect(entryOf(dir).appMetadataUrl).toBe(metadataUrl);
  });

  test('accepts a URL on another host', async () => {
    const dir = await workspace();
    expect(await runEditApp(contextIn(dir), 'clock', { metadataUrl: 'https://raw.example.com/v.json' })).toBe(0);
    expect(entryOf(dir).appMetadataUrl).toBe('https://raw.example.com/v.json');
  });
});

describe('edit-app refuses', () => {
  test.each([
    ['clok', 'Did you mean clock?'],
    ['Clock', 'Did you mean clock?'],
    ['world-clock', 'Did you mean clock?'],
    ['zzz', 'It lists clock.'],
    ['constructor', 'It lists clock.'],
  ])('the unknown key %s, and names the closest ones', async (key, message) => {
    const dir = await workspace();
    expect(await refusal(runEditApp(contextIn(dir), key, { name: 'A' }))).toMatchObject({
      code: 'app-unknown',
      exit: 2,
      message: expect.stringContaining(message) as string,
    });
  });

  test.each([
    [{}, '--name, --description, --icon, --color, --metadata-url, --homepage, --source, --licence or --support'],
    [{ homepage: 'a.example' }, '--homepage'],
    [{ name: ' ' }, '--name'],
    [{ blockColor: '#fff' }, '--color'],
    [{ icon: 'gone.svg' }, '--icon'],
    [{ icon: '' }, '--icon'],
    [{ metadataUrl: 'v.json' }, '--metadata-url'],
  ])('the options %j as a usage error that names the flag', async (options, flag) => {
    const dir = await workspace();
    const before = snapshot(dir);
    const error = await refusal(runEditApp(contextIn(dir), 'clock', options));
    expect(error.exit).toBe(2);
    expect(error.message + error.hint).toContain(flag);
    expect(snapshot(dir)).toBe(before);
  });
});

describe('edit-app at a terminal', () => {
  test('prompts for each field with its present value', async () => {
    const dir = await workspace();
    const before = textOf(dir);
    const context = contextIn(dir, {}, ['\r', 'Tells it.\r', '\r', '\r']);
    expect(await runEditApp(context, 'clock', {})).toBe(0);
    expect(textOf(dir)).toBe(before.replace('Tells the time.', 'Tells it.'));
    expect(context.questions()).toContain(`[${BASE}apps/clock/icon.svg]`);
  });

  test('escapes control characters of the registry in prompts, and preserves them in the manifest', async () => {
    const dir = await workspace();
    const text = textOf(dir).replace('"Clock"', '"Cl\\u001b[2Jock"');
    writeFileSync(join(dir, 'registry.json'), text);
    const context = contextIn(dir, {}, ['\r', '\r', '\r', '\r']);
    expect(await runEditApp(context, 'clock', {})).toBe(0);
    expect(context.questions()).toContain('[Cl\\u{1b}[2Jock]');
    expect(context.questions()).not.toContain('Cl\u001b[2Jock');
    expect(textOf(dir)).toBe(text);
  });

  test('writes nothing after Ctrl+C', async () => {
    const dir = await workspace();
    const before = snapshot(dir);
    expect(await runEditApp(contextIn(dir, {}, ['x\r', '\u0003']), 'clock', {})).toBe(130);
    expect(snapshot(dir)).toBe(before);
  });
});

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runAddApp } from '../../src/cli/commands/add-app.ts';
import { runInit } from '../../src/cli/commands/init.ts';
import { folder } from '../support/folders.ts';
import { contextIn, refusal, snapshot } from './author-support.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
// One transparent pixel.
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const FLAGS = { name: 'Feed Watch', description: 'Watches feeds.', icon: 'my icon.svg', blockColor: '#d9480f' };

async function workspace(): Promise<string> {
  const dir = folder();
  await runInit(contextIn(dir), undefined, { baseUrl: 'https://apps.example.com/' });
  writeFileSync(join(dir, 'my icon.svg'), SVG);
  return dir;
}

const manifestOf = (dir: string): { apps: Record<string, unknown> } =>
  JSON.parse(readFileSync(join(dir, 'registry.json'), 'utf8')) as { apps: Record<string, unknown> };

describe('add-app', () => {
  test('stores the icon and the metadata file, and lists the app', async () => {
    const dir = await workspace();
    const context = contextIn(dir);
    expect(await runAddApp(context, 'feed-watch', FLAGS)).toBe(0);
    expect(manifestOf(dir).apps['feed-watch']).toEqual({
      name: 'Feed Watch',
      description: 'Watches feeds.',
      blockStyle: { iconUrl: 'https://apps.example.com/apps/feed-watch/icon.svg', color: '#d9480f' },
      appMetadataUrl: 'https://apps.example.com/apps/feed-watch/versions.json',
    });
    expect(readFileSync(join(dir, 'apps/feed-watch/icon.svg'), 'utf8')).toBe(SVG);
    expect(readFileSync(join(dir, 'apps/feed-watch/versions.json'), 'utf8')).toBe('{\n  "versions": []\n}\n');
    expect(context.printed).toMatchObject({
      log: [],
      next: ['appreg publish-version feed-watch 1.0.0 --entry <file>'],
    });
  });

  test('names the stored icon by its content, not by the name of the file', async () => {
    const dir = await workspace();
    writeFileSync(join(dir, 'my icon.svg'), PNG);
    await runAddApp(contextIn(dir), 'a', FLAGS);
    expect(readFileSync(join(dir, 'apps/a/icon.png'))).toEqual(PNG);
    expect(existsSync(join(dir, 'apps/a/icon.svg'))).toBe(false);
  });

  test('changes nothing for an identical entry, and refuses a different one', async () => {
    const dir = await workspace();
    await runAddApp(contextIn(dir), 'a', FLAGS);
    const before = snapshot(dir);
    const context = contextIn(dir, { format: 'json' });
    expect(await runAddApp(context, 'a', { ...FLAGS, format: 'json' })).toBe(0);
    expect(JSON.parse(context.printed.out.join())).toMatchObject({ key: 'a', status: 'unchanged', files: [] });
    expect(await refusal(runAddApp(contextIn(dir), 'a', { ...FLAGS, name: 'Other' }))).toMatchObject({
      code: 'already-exists',
      exit: 1,
    });
    expect(snapshot(dir)).toBe(before);
  });

  test.each(['__proto__', 'constructor', 'toString', '2'])('accepts the key %s', async (key) => {
    const dir = await workspace();
    expect(await runAddApp(contextIn(dir), key, FLAGS)).toBe(0);
    expect(Object.keys(manifestOf(dir).apps)).toEqual([key]);
    expect(existsSync(join(dir, 'apps', key, 'versions.json'))).toBe(true);
    expect(await runAddApp(contextIn(dir), key, FLAGS)).toBe(0);
  });

  test('with --dry-run makes every check and writes nothing', async () => {
    const dir = await workspace();
    const before = snapshot(dir);
    const context = contextIn(dir);
    expect(await runAddApp(context, 'a', { ...FLAGS, dryRun: true })).toBe(0);
    expect(context.printed.out.join('\n')).toMatch(
      /^Nothing was written[^]*create apps\/a\/icon.svg[^]*edit   registry.json/,
    );
    expect(
      await refusal(runAddApp(contextIn(dir), 'a', { ...FLAGS, metadataUrl: 'http://x.test/v.json', dryRun: true })),
    ).toMatchObject({ code: 'rule-violation', rules: ['url-insecure'], exit: 1 });
    expect(snapshot(dir)).toBe(before);
  });

  const tolerated: [what: string, bytes: Buffer, file: string, logged: string][] = [
    ['a note', Buffer.concat([PNG, Buffer.from('more')]), 'icon.png', ''],
    [
      'a warning',
      Buffer.from(
        '<?xml version="1.0" encoding="ISO-8859-1"?><svg xmlns="http://www.w3.org/2000/svg"><title>\xfc</title></svg>',
        'latin1',
      ),
      'icon.svg',
      'icon-not-image',
    ],
  ];
  test.each(tolerated)('accepts an icon that lint has only %s about', async (_, bytes, file, logged) => {
    const dir = await workspace();
    writeFileSync(join(dir, 'my icon.svg'), bytes);
    const context = contextIn(dir);
    expect(await runAddApp(context, 'a', FLAGS)).toBe(0);
    expect(context.printed.log.join('\n')).toContain(logged);
    expect(readFileSync(join(dir, 'apps/a', file))).toEqual(bytes);
  });
});

describe('the bytes of the manifest around a new entry are unchanged', () => {
  const entry =
    '"old": {"name":"Old","description":"","blockStyle":{"iconUrl":"https://x.test/i.png","color":"#000000"},"appMetadataUrl":"https://x.test/v.json","x-n":[1.0,-0,1E5,9007199254740993,"\\u0041\\/\u2028"]}';
  test.each([
    ['CRLF, tabs, no final newline', `{\r\n\t"x-before": {},\r\n\t"apps": {\r\n\t\t${entry}\r\n\t}\r\n}`],
    ['minified', `{"apps":{${entry}},"x":1}`],
    ['three spaces', `{\n   "apps": {\n      ${entry}\n   }\n}\n\n`],
    ['unusual whitespace', `\n{ "apps"\t:{${entry}\n\n}  }  `],
  ])('%s', async (_, text) => {
    const dir = await workspace();
    writeFileSync(join(dir, 'registry.json'), text);
    expect(await runAddApp(contextIn(dir), 'a', FLAGS)).toBe(0);
    const after = readFileSync(join(dir, 'registry.json'), 'utf8');
    const end = text.indexOf(entry) + entry.length;
    expect(after.startsWith(text.slice(0, end))).toBe(true);
    expect(after.endsWith(text.slice(end))).toBe(true);
    expect(Object.keys((JSON.parse(after) as { apps: object }).apps)).toEqual(['old', 'a']);
  });

  test.each([
    ['a duplicate name', Buffer.from('{"apps":{},"apps":{}}')],
    [
      'a byte that is not UTF-8',
      Buffer.from([
        0x7b, 0x22, 0x61, 0x70, 0x70, 0x73, 0x22, 0x3a, 0x7b, 0x7d, 0x2c, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d,
      ]),
    ],
    ['a trailing comma', Buffer.from('{"apps":{},}')],
  ])('a manifest with %s is refused and not changed', async (_, bytes) => {
    const dir = await workspace();
    writeFileSync(join(dir, 'registry.json'), bytes);
    const before = snapshot(dir);
    expect(await refusal(runAddApp(contextIn(dir), 'a', FLAGS))).toMatchObject({
      code: 'document-invalid',
      exit: 1,
      message: expect.stringContaining('registry.json') as string,
    });
    expect(snapshot(dir)).toBe(before);
  });
});

describe('add-app refuses', () => {
  test.each(['../../etc/x', 'a/b', '..', '.', '', 'a b', 'CON', 'a'.repeat(300), 'é', '../registry'])(
    'the key %j before it creates any path',
    async (key) => {
      const dir = await workspace();
      const before = snapshot(dir);
      expect(await refusal(runAddApp(contextIn(dir), key, FLAGS))).toMatchObject({ code: 'app-key-invalid', exit: 1 });
      expect(snapshot(dir)).toBe(before);
    },
  );

  const icons: [what: string, bytes: string | Buffer][] = [
    ['a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16])],
    ['an HTML page', '<!doctype html><title>x</title>'],
    ['empty', ''],
    ['a truncated PNG', PNG.subarray(0, 40)],
    ['an SVG that does not parse', '<svg xmlns="http://www.w3.org/2000/svg"><rect></svg>'],
  ];
  test.each(icons)('an icon that is %s', async (_, bytes) => {
    const dir = await workspace();
    writeFileSync(join(dir, 'my icon.svg'), bytes);
    const before = snapshot(dir);
    expect(await refusal(runAddApp(contextIn(dir), 'a', FLAGS))).toMatchObject({ code: 'icon-invalid', exit: 1 });
    expect(snapshot(dir)).toBe(before);
  });

  const flags: { what: string; options: Parameters<typeof runAddApp>[2]; names: string }[] = [
    { what: 'no flags', options: {}, names: '--name, --description, --color, --icon' },
    { what: 'no icon', options: { ...FLAGS, icon: undefined as never }, names: '--icon' },
    { what: 'an icon with an empty path', options: { ...FLAGS, icon: '' }, names: '--icon' },
    { what: 'an icon that does not exist', options: { ...FLAGS, icon: 'gone.svg' }, names: '--icon' },
    { what: 'a short colour', options: { ...FLAGS, blockColor: '#fff' }, names: '--color' },
    { what: 'a blank name', options: { ...FLAGS, name: ' ' }, names: '--name' },
    {
      what: 'a metadata URL without a scheme',
      options: { ...FLAGS, metadataUrl: 'versions.json' },
      names: '--metadata-url',
    },
  ];
  test.each(flags)('a call with $what as a usage error that names the flag', async ({ options, names }) => {
    const dir = await workspace();
    const error = await refusal(runAddApp(contextIn(dir), 'a', options));
    expect(error.exit).toBe(2);
    expect(error.message).toContain(names);
  });

  test('a folder without a workspace', async () => {
    expect(await refusal(runAddApp(contextIn(folder()), 'a', FLAGS))).toMatchObject({
      code: 'workspace-missing',
      exit: 2,
      hint: expect.stringContaining('appreg init') as string,
    });
  });

  test('an app folder that is a symbolic link out of the workspace', async () => {
    const dir = await workspace();
    const outside = folder();
    mkdirSync(join(dir, 'apps'));
    symlinkSync(outside, join(dir, 'apps/a'));
    expect((await refusal(runAddApp(contextIn(dir), 'a', FLAGS))).code).toBe('path-refused');
    expect(snapshot(outside)).toBe('');
  });
});

describe('add-app at a terminal', () => {
  test('prompts for missing values with suggestions, and generates an icon if none is given', async () => {
    const dir = await workspace();
    const context = contextIn(dir, {}, ['\r', 'Watches feeds.\r', '\r', '\r']);
    expect(await runAddApp(context, 'feed-watch', {})).toBe(0);
    expect(manifestOf(dir).apps['feed-watch']).toMatchObject({
      name: 'Feed Watch',
      description: 'Watches feeds.',
      blockStyle: { color: '#3b5bdb' },
    });
    expect(readFileSync(join(dir, 'apps/feed-watch/icon.svg'), 'utf8')).toContain('>F</text>');
    expect(context.printed.log.join()).toContain('An icon was generated');
    expect(context.questions()).toContain('What does it do');
  });

  test('writes nothing after Ctrl+C', async () => {
    const dir = await workspace();
    const before = snapshot(dir);
    expect(await runAddApp(contextIn(dir, {}, ['\r', '\u0003']), 'a', {})).toBe(130);
    expect(snapshot(dir)).toBe(before);
  });
});

import { describe, expect, test } from 'vitest';
import {
  type AppSource,
  assemble,
  type AssembledApp,
  assembledManifest,
  type AssembledManifest,
} from '../../src/author/assemble.ts';
import { newManifest } from '../../src/author/manifest.ts';
import { documentWithText } from '../../src/author/document.ts';
import { documentText } from '../../src/core/json/json.ts';
import { errorOf } from '../support/folders.ts';

const BASE = 'https://apps.example.com/r/';
const FIELDS = { name: 'Clock', description: 'Tells the time.', color: '#1864ab' };

function source(key: string, content: unknown = FIELDS, files = ['app.json', 'icon.svg']): AppSource {
  if (content === null) return { key, folder: `apps/${key}`, content: null, files };
  const folder = `apps/${key}`;
  return { key, folder, content: documentText(typeof content === 'string' ? content : JSON.stringify(content)), files };
}

function issuesOf(...sources: AppSource[]): string[] {
  return assemble(sources, BASE).issues.map(({ message }) => message);
}

describe('an app', () => {
  test('has an entry with the default URLs of the workspace', () => {
    const { apps, issues } = assemble([source('clock')], BASE);
    expect(issues).toEqual([]);
    expect(apps).toEqual([
      {
        key: 'clock',
        source: 'apps/clock',
        icon: 'icon.svg',
        entry: {
          name: 'Clock',
          description: 'Tells the time.',
          blockStyle: { iconUrl: `${BASE}apps/clock/icon.svg`, color: '#1864ab' },
          appMetadataUrl: `${BASE}apps/clock/versions.json`,
        },
        given: { ...FIELDS, iconUrl: `${BASE}apps/clock/icon.svg` },
        text: JSON.stringify(FIELDS),
      },
    ]);
  });

  test('may have URLs of an icon and a metadata file elsewhere', () => {
    const elsewhere = { iconUrl: 'https://x.test/i.png', appMetadataUrl: 'https://x.test/versions.json' };
    const { apps } = assemble([source('clock', { ...FIELDS, ...elsewhere }, ['app.json'])], BASE);
    expect(apps[0]).toMatchObject({
      icon: null,
      entry: { blockStyle: { iconUrl: elsewhere.iconUrl }, appMetadataUrl: elsewhere.appMetadataUrl },
    });
  });

  test.each<{ name: string; one: AppSource; words: RegExp }>([
    {
      name: 'without a description',
      one: source('clock', null),
      words: /^apps\/clock\/app\.json: the file does not exist, so the manifest would not list the app/,
    },
    {
      name: 'in broken JSON',
      one: source('clock', '{\n  "name": "x",\n}'),
      words: /^apps\/clock\/app\.json:2:14: Trailing comma/,
    },
    {
      name: 'with a name twice',
      one: source('clock', '{"name": "a", "name": "b", "description": "c", "color": "d"}'),
      words: /^apps\/clock\/app\.json:1:15: The name “name” occurs twice/,
    },
    {
      name: 'as a list',
      one: source('clock', []),
      words: /app\.json:1:1: The description of an app must be an object, not an empty list/,
    },
    {
      name: 'without a colour',
      one: source('clock', { name: 'a', description: 'b' }),
      words: /app\.json:1:1: “color” is missing\.$/,
    },
    {
      name: 'with an empty name',
      one: source('clock', { ...FIELDS, name: ' ' }),
      words: /app\.json:1:9: “name” must be text that is not blank, not “ ”\.$/,
    },
    {
      name: 'with a number',
      one: source('clock', { ...FIELDS, color: 3 }),
      words: /:1:\d+: “color” must be text, not 3\.$/,
    },
    {
      name: 'with a misspelled field',
      one: source('clock', { ...FIELDS, colour: '#fff' }),
      words: /:1:\d+: Unknown field “colour”\. Did you mean color\?$/,
    },
    { name: 'without an icon', one: source('clock', FIELDS, ['app.json']), words: /the app has no icon\.$/ },
    {
      name: 'with a photograph',
      one: source('clock', FIELDS, ['logo.jpg']),
      words: /no icon: the name “logo\.jpg” is not valid/,
    },
    {
      name: 'with two icons',
      one: source('clock', FIELDS, ['icon.svg', 'icon.png']),
      words: /several icons: icon\.png and icon\.svg\./,
    },
    {
      name: 'with an icon, and one elsewhere',
      one: source('clock', { ...FIELDS, iconUrl: 'https://x.test/i.svg' }),
      words: /icon\.svg and "iconUrl"/,
    },
    {
      name: 'with a field that speaks to terminals',
      one: source('clock', { ...FIELDS, '\u001b[2J': 'x' }),
      words: /Unknown field “\\u\{1b\}\[2J”\. The fields here are name, /,
    },
  ])('$name is reported with its file and left out', ({ one, words }) => {
    const { apps, issues } = assemble([one, source('other')], BASE);
    expect(issues.map(({ message }) => message)).toEqual([expect.stringMatching(words)]);
    expect(apps.map(({ key }) => key)).toEqual(['other']);
  });

  test('with faults does not stop the check of the others', () => {
    expect(issuesOf(source('a', null), source('b', {}), source('c', FIELDS, []))).toHaveLength(5);
  });
});

function apps(...keys: string[]): AssembledApp[] {
  const sources = keys.map((key) => source(key));
  return assemble(sources, BASE).apps;
}

function assembled(
  text: string,
  list: AssembledApp[],
  remove: string[] = [],
  folders = list.map(({ key }) => key),
): AssembledManifest {
  return assembledManifest(documentWithText(text, 'registry.json'), list, folders, remove, (key) => `apps/${key}`);
}

describe('the manifest', () => {
  test('is in the order of the keys, and assembling it again changes nothing', () => {
    const { text, added } = assembled(newManifest(), apps('zebra', 'Ant', 'bee', '2048', '__proto__'));
    expect(Object.keys(JSON.parse(text!).apps)).toEqual(['2048', 'Ant', '__proto__', 'bee', 'zebra']);
    expect(added).toHaveLength(5);
    expect(assembled(newManifest(), apps('__proto__', 'bee', '2048', 'zebra', 'Ant')).text).toBe(text);
    expect(assembled(text!, apps('zebra', 'Ant', 'bee', '2048', '__proto__'))).toMatchObject({
      text: null,
      added: [],
      changed: [],
    });
  });

  test('preserves members of an app that app.json does not have', () => {
    const own = assembled('{"apps":{}}', apps('clock')).text ?? '';
    const { apps: listed } = JSON.parse(own) as { apps: Record<string, { blockStyle: object }> };
    const clock = {
      ...listed.clock,
      name: 'Old',
      team: 'time',
      blockStyle: { ...listed.clock?.blockStyle, shape: 'round' },
    };
    const result = assembled(JSON.stringify({ apps: { clock } }), apps('clock'));
    expect(result.changed).toEqual(['clock']);
    expect(JSON.parse(result.text ?? '')).toEqual({ apps: { clock: { ...clock, name: 'Clock' } } });
    expect(assembled(result.text ?? '', apps('clock')).text).toBeNull();
  });

  test('preserves other members and lists the changes', () => {
    const before = JSON.stringify({ title: 'Ours', apps: { clock: { name: 'Old' } } });
    const { text, changed, added } = assembled(before, apps('clock', 'new'));
    expect(JSON.parse(text!)).toMatchObject({ title: 'Ours', apps: { clock: { name: 'Clock' } } });
    expect([changed, added]).toEqual([['clock'], ['new']]);
  });

  const listed = JSON.stringify({ apps: { clock: {}, gone: {} } });
  test('is not written if the folder of a listed app is missing', () => {
    expect(assembled(listed, apps('clock')).issues.map(({ message }) => message)).toEqual([
      'apps/gone/app.json does not exist, but registry.json lists the app, which would disappear.',
    ]);
  });

  test('has no further issue for an app whose folder was already reported', () => {
    expect(assembled(listed, apps('clock'), [], ['clock', 'gone']).issues).toEqual([]);
  });

  test('loses an app that is removed by name', () => {
    const { text, removed, issues } = assembled(listed, apps('clock'), ['gone']);
    expect([Object.keys(JSON.parse(text!).apps), removed, issues]).toEqual([['clock'], ['gone'], []]);
  });

  test('does not lose an app whose folder exists', () => {
    expect(assembled(listed, apps('clock', 'gone'), ['gone']).issues).toHaveLength(1);
  });

  test('is not changed if it is invalid', () => {
    expect(errorOf(() => assembled('{', apps('clock')))).toMatchObject({ code: 'document-invalid', exit: 1 });
  });
});

import { describe, expect, test } from 'vitest';
import { placeholderIcon } from '../../src/author/placeholder-icon.ts';
import type { AppregError } from '../../src/core/errors/error.ts';
import { createDigester } from '../../src/observe/digest/digest.ts';
import { inspectImage } from '../../src/observe/icon/inspect-image.ts';
import { type AppPlan, type NewApp, planApp } from '../../src/publish/add-app.ts';
import type { IconFile } from '../../src/publish/described-app.ts';
import { BASE, JUDGEMENT, memoryStore, placeOf } from './memory.ts';

function iconOf(text: string): IconFile {
  const bytes = Buffer.from(text);
  const digester = createDigester(Infinity);
  digester.write(bytes);
  return { bytes, content: digester.end(), image: inspectImage(bytes) };
}

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
const icon = iconOf(svg);
const newApp = (more: Partial<NewApp> = {}): NewApp => ({
  key: 'a',
  name: 'A',
  description: 'An app.',
  color: '#112233',
  icon,
  metadataUrl: null,
  ...more,
});
const empty = '{\n  "apps": {}\n}\n';

async function plan(app: NewApp, files: Record<string, string> = { 'registry.json': empty }): Promise<AppPlan> {
  return planApp(placeOf(memoryStore(files)), app, JUDGEMENT);
}

async function refusal(promise: Promise<unknown>): Promise<AppregError> {
  return promise.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: AppregError) => error,
  );
}

const written = ({ plan: { steps } }: AppPlan): [string, string][] => steps.map(({ kind, path }) => [kind, path]);

test('a plan to add an app writes the icon, the metadata file, and the manifest last', async () => {
  const planned = await plan(newApp());
  expect(written(planned)).toEqual([
    ['create', 'apps/a/icon.svg'],
    ['create', 'apps/a/versions.json'],
    ['edit', 'registry.json'],
  ]);
  expect(planned.entry).toEqual({
    name: 'A',
    description: 'An app.',
    blockStyle: { iconUrl: `${BASE}apps/a/icon.svg`, color: '#112233' },
    appMetadataUrl: `${BASE}apps/a/versions.json`,
  });
});

test('a plan to add an app only refers to an icon and metadata on other hosts', async () => {
  const planned = await plan(
    newApp({ icon: { url: 'https://cdn.example.com/a.png' }, metadataUrl: 'https://raw.example.com/a/versions.json' }),
  );
  expect(written(planned)).toEqual([['edit', 'registry.json']]);
});

test('a plan to add an app creates metadata at another path of the workspace', async () => {
  expect(written(await plan(newApp({ metadataUrl: `${BASE}meta/a.json` })))).toContainEqual(['create', 'meta/a.json']);
});

test('a plan to add an app reuses an existing metadata file, and refuses an invalid one', async () => {
  const existing = { 'registry.json': empty, 'apps/a/versions.json': '{"versions":[{"version":"1.0.0"}]}' };
  expect(written(await plan(newApp(), { ...existing, 'apps/a/versions.json': '{"versions":[]}' }))).not.toContainEqual([
    'create',
    'apps/a/versions.json',
  ]);
  expect(await refusal(plan(newApp(), { ...existing, 'apps/a/versions.json': '{"version":[]}' }))).toMatchObject({
    code: 'document-invalid',
    exit: 1,
  });
});

test('a plan for an app that is already added is empty, and a different entry or icon is refused', async () => {
  const store = memoryStore({ 'registry.json': empty });
  const place = placeOf(store);
  for (const step of (await planApp(place, newApp(), JUDGEMENT)).plan.steps) {
    const text = step.kind === 'edit' ? step.to.text : '';
    store.files.set(step.path, step.kind === 'edit' ? Buffer.from(text) : Buffer.from(step.bytes as Uint8Array));
  }
  store.files.set('apps/a/versions.json', Buffer.from('{"versions":[{}]}'));
  expect(written(await planApp(place, newApp(), JUDGEMENT))).toEqual([]);
  expect(await refusal(planApp(place, newApp({ name: 'B' }), JUDGEMENT))).toMatchObject({
    code: 'already-exists',
    exit: 1,
  });
  expect(await refusal(planApp(place, newApp({ icon: iconOf(svg.replace('8', '9')) }), JUDGEMENT))).toMatchObject({
    code: 'already-exists',
    exit: 1,
  });
});

describe('app keys', () => {
  test.each([
    '../../etc/x',
    'a/b',
    'a\\b',
    '..',
    '.',
    '',
    ' a',
    'a.b',
    'appé',
    'ａ',
    'CON',
    'nul',
    'com1',
    'a'.repeat(300),
    'a\u0000',
  ])('%j is refused before any file is read', async (key) => {
    const store = memoryStore({});
    store.read = () => Promise.reject(new Error('read'));
    expect(await refusal(planApp(placeOf(store), newApp({ key }), JUDGEMENT))).toMatchObject({
      code: 'app-key-invalid',
      exit: 1,
    });
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', '2', '-', '_'])(
    '%s is accepted',
    async (key) => {
      const planned = await plan(newApp({ key }));
      const edit = planned.plan.steps.at(-1)!;
      const apps = (JSON.parse(edit.kind === 'edit' ? edit.to.text : '') as { apps: object }).apps;
      expect(Object.keys(apps)).toEqual([key]);
      expect(planned.entry.appMetadataUrl).toBe(`${BASE}apps/${key}/versions.json`);
    },
  );

  test('a key that differs only in case from another causes a warning', async () => {
    const manifest = JSON.stringify({ apps: { A: (await plan(newApp({ key: 'A' }))).entry } });
    expect((await plan(newApp(), { 'registry.json': manifest })).findings.map(({ rule }) => rule)).toContain(
      'app-key-ambiguous',
    );
  });
});

describe('the rules refuse', () => {
  const cases: { what: string; more: Partial<NewApp>; rule: string }[] = [
    { what: 'a malformed color', more: { color: 'blue' }, rule: 'block-color-malformed' },
    { what: 'an icon over plain http', more: { icon: { url: 'http://cdn.example.com/a.png' } }, rule: 'url-insecure' },
    { what: 'a metadata URL that is not a URL', more: { metadataUrl: 'versions.json' }, rule: 'url-malformed' },
    { what: 'a URL with a password', more: { metadataUrl: 'https://me:secret@x.test/v.json' }, rule: 'url-malformed' },
  ];
  test.each(cases)('$what', async ({ more, rule }) => {
    const error = await refusal(plan(newApp(more)));
    expect(error).toMatchObject({ code: 'rule-violation', rules: [rule], exit: 1 });
    expect(error.message + error.hint).not.toContain('secret');
  });

  test('nothing for a rule that is switched off', async () => {
    const place = placeOf(memoryStore({ 'registry.json': empty }));
    expect(
      (
        await planApp(place, newApp({ icon: { url: 'http://cdn.example.com/a.png' } }), {
          ...JUDGEMENT,
          severities: { 'url-insecure': 'off' },
        })
      ).plan.steps,
    ).toHaveLength(2);
  });

  test('no icon with a script, which only causes a warning', async () => {
    const active = iconOf('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><script>1</script></svg>');
    expect((await plan(newApp({ icon: active }))).findings.map(({ rule }) => rule)).toContain('icon-svg-active');
  });
});

test.each([
  { name: 'a missing manifest', files: {}, code: 'manifest-missing', exit: 2 },
  {
    name: 'a manifest with an array of apps',
    files: { 'registry.json': '{"apps":[]}' },
    code: 'document-invalid',
    exit: 1,
  },
])('planning is refused for $name', async ({ files, code, exit }) => {
  expect(await refusal(plan(newApp(), files))).toMatchObject({ code, exit });
});

describe('the generated icon', () => {
  test.each([
    { key: 'my-app', color: '#ffffff', ink: '#111111' },
    { key: '9lives', color: '#000000', ink: '#ffffff' },
    { key: '__', color: '#3b5bdb', ink: '#ffffff' },
  ])('for $key on $color is a valid SVG with readable colors', ({ key, color, ink }) => {
    const text = placeholderIcon(key, color);
    expect(inspectImage(Buffer.from(text))).toMatchObject({ kind: 'svg', fault: null, active: [] });
    expect(text).toContain(`fill="${color}"`);
    expect(text).toContain(`fill="${ink}"`);
  });
});

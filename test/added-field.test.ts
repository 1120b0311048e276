import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
// @ts-expect-error a script without types
import { registrySchema } from '../scripts/schemas.mjs';
import { documentWithText } from '../src/author/document.ts';
import { editAppEntry } from '../src/author/manifest.ts';
import { runAddApp } from '../src/cli/commands/add-app.ts';
import { runEditApp } from '../src/cli/commands/edit-app.ts';
import { runInit } from '../src/cli/commands/init.ts';
import { addAppCommand } from '../src/cli/define/add-app.ts';
import { editAppCommand } from '../src/cli/define/edit-app.ts';
import type { JsonObject, JsonValue } from '../src/core/json/json.ts';
import { diffRegistries } from '../src/core/diff/diff.ts';
import { judge } from '../src/core/engine/judge.ts';
import { APP_FIELDS, type AppField, FIELD_GROUPS } from '../src/core/registry/app-fields.ts';
import { appFields, hasAllFields, withFields } from '../src/core/registry/manifest.ts';
import { unknownProperties } from '../src/core/registry/schema.ts';
import { COLOR_PATTERN } from '../src/core/text/color.ts';
import { NOTHING_SAID } from '../src/core/about/about-file.ts';
import { appPage } from '../src/site/pages.ts';
import { appPaths } from '../src/site/paths.ts';
import { contextIn } from './cli/author-support.ts';
import { folder } from './support/folders.ts';
import { entry, snapshot } from './support/snapshots.ts';

/** An entry of the table of fields is the whole change for a field: each part of the program knows it. */

const PUBLISHER = vi.hoisted((): AppField => ({
  name: 'publisher',
  in: 'manifest',
  at: ['publisher'],
  kind: 'text',
  label: 'Publisher',
  description: 'Who publishes the app.',
  example: '"publisher": "…", who publishes the app',
  aliases: ['vendor'],
  option: {
    name: 'publisher',
    flags: '--publisher <text>',
    add: { description: 'who publishes it' },
  },
  described: 'Who publishes the app.',
}));

vi.mock(import('../src/core/registry/app-fields.ts'), async (original) => {
  const table = await original();
  // The types know only the fields of the program.
  return { ...table, APP_FIELDS: [...table.APP_FIELDS, PUBLISHER as (typeof table.APP_FIELDS)[number]] };
});

const ENTRY = entry('a') as JsonObject;
const publishedBy = (publisher: JsonValue): JsonObject => ({ ...ENTRY, publisher });
const entryIn = (dir: string): unknown =>
  (JSON.parse(readFileSync(join(dir, 'registry.json'), 'utf8')) as { apps: JsonObject }).apps['clock'];
const editedText = (value: string, before: JsonObject): string | undefined =>
  editAppEntry(documentWithText(JSON.stringify({ apps: { a: before } }), 'registry.json'), 'a', {
    ['publisher' as 'name']: value,
  })?.text;
const registryOf = (app: JsonObject) => snapshot({ apps: { a: app } });
const namesIn = (app: JsonObject) => unknownProperties('registry', { apps: { a: app } });
const findingsIn = (publisher: string) => {
  const { findings } = judge(registryOf(publishedBy(publisher)), { command: 'lint' });
  return findings.filter(({ rule }) => rule.startsWith('text-')).map(({ rule, message }) => `${rule}: ${message}`);
};

test('it is read and written', () => {
  expect(appFields(publishedBy('Acme'))).toMatchObject({ name: ENTRY.name, publisher: 'Acme' });
  expect(appFields(ENTRY)).toMatchObject({ publisher: null });
  expect(withFields(ENTRY, { ['publisher' as 'name']: 'Acme' })).toEqual(publishedBy('Acme'));
});

test('an app without it is not hidden, since it is optional', () => {
  expect(hasAllFields(ENTRY)).toBe(true);
  const [without, having] = [ENTRY, publishedBy('Acme')].map((app) => judge(registryOf(app), { command: 'lint' }).apps);
  expect(without).toEqual(having);
  expect(without?.[0]?.visible).not.toBe(false);
});

test('its name is known, and a similar or an older one is a misspelling of it', () => {
  expect(namesIn(publishedBy('Acme'))).toEqual([]);
  expect(namesIn({ ...ENTRY, publsher: 'Acme' })).toMatchObject([{ name: 'publsher', meant: 'publisher' }]);
  expect(namesIn({ ...ENTRY, vendor: 'Acme' })).toMatchObject([{ name: 'vendor', meant: 'publisher' }]);
});

test('edits set it and change it', () => {
  expect(JSON.parse(editedText('Acme', ENTRY) ?? '')).toEqual({ apps: { a: publishedBy('Acme') } });
  expect(JSON.parse(editedText('Ajax', publishedBy('Acme')) ?? '')).toEqual({ apps: { a: publishedBy('Ajax') } });
  expect(editedText('Acme', publishedBy('Acme'))).toBeUndefined();
});

test('commands have an option for it', async () => {
  for (const { options } of [addAppCommand, editAppCommand])
    expect(options).toHaveProperty(
      'publisher',
      expect.objectContaining({ flags: '--publisher <text>', value: 'text' }),
    );
  const dir = folder();
  await runInit(contextIn(dir), undefined, { baseUrl: 'https://apps.example.com/' });
  const texts = { name: 'Clock', description: 'Tells the time.', publisher: 'Acme' };
  const clock = { ...texts, icon: 'https://apps.example.com/clock.svg', blockColor: '#d9480f' };
  await runAddApp(contextIn(dir), 'clock', clock);
  expect(entryIn(dir)).toMatchObject({ name: 'Clock', publisher: 'Acme' });
  const context = contextIn(dir);
  expect(await runEditApp(context, 'clock', { publisher: 'Ajax' } as object)).toBe(0);
  expect(entryIn(dir)).toMatchObject({ name: 'Clock', publisher: 'Ajax' });
  expect(context.printed.out.join('\n')).toContain('publisher: “Acme” → “Ajax”');
  await expect(runEditApp(contextIn(dir), 'clock', { publisher: ' ' } as object)).rejects.toThrow(
    'The value is empty.',
  );
});

test('the page of the app shows it', () => {
  const latest = { version: '1.0.0', artifactUrl: 'https://a.example/1.tar.gz', checksum: 'sha256:x', published: null };
  const version = { ...latest, notes: null, retired: null, build: null };
  const fields = appFields(publishedBy('Acme & Co.'));
  const texts = { key: 'a', name: 'A', description: 'An app.', iconUrl: null, color: null, url: null };
  const app = { ...texts, paths: appPaths('a'), latest: version, versions: [version], links: NOTHING_SAID, fields };
  const page = appPage({ url: 'https://a.example/registry.json', title: 'Apps', base: null }, app);
  expect(page).toMatch(/<dt>Publisher<\/dt>\s*<dd>[^\n]*Acme &amp; Co\./);
});

test('the schema has it', () => {
  const schema = registrySchema({ APP_FIELDS, FIELD_GROUPS, COLOR_PATTERN }) as { definitions: { entry: JsonObject } };
  expect(schema.definitions.entry).toMatchObject({
    required: ['name', 'description', 'blockStyle', 'appMetadataUrl'],
    properties: { publisher: { type: 'string', description: PUBLISHER.description } },
  });
});

test('the rules about texts check it', () => {
  expect(findingsIn('Acme')).toEqual([]);
  expect(findingsIn(' ')).toEqual(['text-empty: The publisher is blank.']);
  expect(findingsIn('Ac\u202eme')).toEqual([
    'text-unprintable: The publisher contains invisible characters: “Ac\\u{202e}me”.',
  ]);
});

test('a comparison shows its change', () => {
  const { apps } = diffRegistries(registryOf(publishedBy('Acme')), registryOf(publishedBy('Ajax')));
  expect(apps).toMatchObject([{ fields: [{ name: 'publisher', before: 'Acme', after: 'Ajax' }] }]);
});

import { describe, expect, test } from 'vitest';
import { documentText, type JsonValue } from '../../../src/core/json/json.ts';
import {
  appFields,
  artifactUrlOf,
  iconUrlOf,
  listedVersions,
  listedVersionsIn,
  manifestApps,
  manifestAppsIn,
  metadataUrlOf,
  versionFields,
} from '../../../src/core/registry/manifest.ts';

const entry: JsonValue = {
  name: 'Clock',
  description: 'Tells the time.',
  blockStyle: { iconUrl: 'https://a.example/icon.svg', color: '#112233' },
  appMetadataUrl: 'https://a.example/versions.json',
};
const version: JsonValue = {
  version: '1.0.0',
  artifactUrl: 'https://a.example/1.tar.gz',
  artifactChecksum: 'sha256:x',
};

describe('a manifest', () => {
  test('has apps by key', () => {
    expect(manifestApps({ apps: { clock: entry } })).toEqual({ clock: entry });
    expect(manifestAppsIn(documentText(JSON.stringify({ apps: { clock: entry } })))).toEqual({ clock: entry });
  });

  test.each<[string, JsonValue | undefined]>([
    ['no value', undefined],
    ['null', null],
    ['a list', []],
    ['no apps', {}],
    ['a list of apps', { apps: [] }],
    ['inherited apps', JSON.parse('{"__proto__":{"apps":{}}}') as JsonValue],
  ])('has no apps: %s', (_, value) => expect(manifestApps(value)).toBeNull());

  test.each([['{'], [''], ['<!doctype html>']])('has no apps if it is not JSON: %j', (text) =>
    expect(manifestAppsIn(documentText(text))).toBeNull(),
  );

  test('has entries with typed fields', () => {
    const { blockStyle: _, ...texts } = entry;
    expect(appFields(entry)).toEqual({ ...texts, iconUrl: 'https://a.example/icon.svg', color: '#112233' });
    expect(metadataUrlOf(entry)).toBe('https://a.example/versions.json');
    expect(iconUrlOf(entry)).toBe('https://a.example/icon.svg');
  });

  test.each<[string, JsonValue | undefined]>([
    ['no entry', undefined],
    ['an empty one', {}],
    ['one of another type', 'clock'],
    ['fields of other types', { name: 1, description: null, blockStyle: [], appMetadataUrl: {} }],
  ])('has entries with null for each missing or mistyped field: %s', (_, value) =>
    expect(appFields(value)).toEqual({
      name: null,
      description: null,
      iconUrl: null,
      color: null,
      appMetadataUrl: null,
    }),
  );
});

describe('a metadata file', () => {
  test('lists versions of any type', () => {
    expect(listedVersions({ versions: [version, null] })).toEqual([version, null]);
    expect(listedVersionsIn(documentText(JSON.stringify({ versions: [version] })))).toEqual([version]);
  });

  test.each<[string, JsonValue | undefined]>([
    ['no value', undefined],
    ['no versions', {}],
    ['an object of versions', { versions: {} }],
  ])('has no versions: %s', (_, value) => expect(listedVersions(value)).toBeNull());

  test('has versions with typed fields', () => {
    expect(versionFields(version)).toEqual(version);
    expect(artifactUrlOf(version)).toBe('https://a.example/1.tar.gz');
    expect(versionFields({ version: 1 })).toEqual({ version: null, artifactUrl: null, artifactChecksum: null });
    expect(versionFields(null)).toEqual({ version: null, artifactUrl: null, artifactChecksum: null });
  });
});

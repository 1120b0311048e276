import { describe, expect, test } from 'vitest';
import { documentWithText, openDocument } from '../../src/author/document.ts';
import * as manifests from '../../src/author/manifest.ts';
import { addVersion as addVersionTo, newMetadata, type NewVersion, validVersions } from '../../src/author/metadata.ts';
import { documentContent } from '../../src/core/json/json.ts';
import type { AppregError } from '../../src/core/errors/error.ts';

const digest = (digit: string): string => `sha256:${digit.repeat(32)}${'01'.repeat(16)}`;
const version = (number: string, digit = 'a'): { version: string; artifactUrl: string; artifactChecksum: string } => ({
  version: number,
  artifactUrl: `https://apps.example.com/apps/a/versions/${number}.tar.gz`,
  artifactChecksum: digest(digit),
});
const list = (...versions: object[]): string => `${JSON.stringify({ versions }, null, 2)}\n`;
const app = {
  name: 'A',
  description: 'An app.',
  blockStyle: { iconUrl: 'https://x.test/a.svg', color: '#112233' },
  appMetadataUrl: 'https://x.test/a.json',
};

/** The text of the metadata file after the edit; null if nothing changes. */
function addVersion(text: string, added: NewVersion, path: string): string | null {
  return addVersionTo(documentWithText(text, path), added)?.text ?? null;
}

/** The text of the manifest after the edit; null if nothing changes. */
function addApp(text: string, key: string, entry: typeof app, path: string): string | null {
  return manifests.addAppEntry(documentWithText(text, path), key, entry)?.text ?? null;
}

function rejection(run: () => unknown): AppregError {
  try {
    run();
  } catch (error) {
    return error as AppregError;
  }
  throw new Error('it was not rejected');
}

function order(text: string | null): string[] {
  return (JSON.parse(text!) as { versions: { version: string }[] }).versions.map((one) => one.version);
}

describe('adding a version', () => {
  const cases: { what: string; before: string[]; added: string; after: string[] }[] = [
    { what: 'the first one', before: [], added: '1.0.0', after: ['1.0.0'] },
    { what: 'behind the only one', before: ['1.0.0'], added: '2.0.0', after: ['1.0.0', '2.0.0'] },
    {
      what: 'at the end of a list that ascends',
      before: ['1.0.0', '1.1.0'],
      added: '2.0.0',
      after: ['1.0.0', '1.1.0', '2.0.0'],
    },
    {
      what: 'in front of a list that descends',
      before: ['1.1.0', '1.0.0'],
      added: '2.0.0',
      after: ['2.0.0', '1.1.0', '1.0.0'],
    },
    {
      what: 'at its place in a list that descends',
      before: ['2.0.0', '1.0.0'],
      added: '1.0.1',
      after: ['2.0.0', '1.0.1', '1.0.0'],
    },
    {
      what: 'behind all in a list that descends',
      before: ['2.0.0', '1.0.0'],
      added: '0.9.0',
      after: ['2.0.0', '1.0.0', '0.9.0'],
    },
    {
      what: 'numbers are compared as numbers',
      before: ['1.10.0', '1.9.0'],
      added: '1.11.0',
      after: ['1.11.0', '1.10.0', '1.9.0'],
    },
    {
      what: 'at the end of a list without order',
      before: ['1.0.0', '3.0.0', '2.0.0'],
      added: '4.0.0',
      after: ['1.0.0', '3.0.0', '2.0.0', '4.0.0'],
    },
    {
      what: 'past invalid versions',
      before: ['2.0.0', 'latest', '1.0.0'],
      added: '3.0.0',
      after: ['3.0.0', '2.0.0', 'latest', '1.0.0'],
    },
  ];
  test.each(cases)('inserts it by the order of the list: $what', ({ before, added, after }) => {
    expect(order(addVersion(list(...before.map((one) => version(one))), version(added, 'b'), 'versions.json'))).toEqual(
      after,
    );
  });

  test('changes nothing if the same version with the same digest is listed', () => {
    expect(addVersion(list(version('1.0.0')), version('1.0.0'), 'f')).toBeNull();
    expect(
      addVersion(list({ ...version('1.0.0'), artifactUrl: 'https://else.test/1.tar.gz' }), version('1.0.0'), 'f'),
    ).toBeNull();
    expect(
      addVersion(
        list({ ...version('1.0.0'), artifactChecksum: digest('a').toUpperCase().replace('SHA', 'sha') }),
        version('1.0.0'),
        'f',
      ),
    ).toBeNull();
  });

  test.each([
    { name: 'other bytes', there: '1.0.0', added: version('1.0.0', 'b'), named: [digest('a'), digest('b')] },
    { name: 'other build metadata', there: '1.0.0+linux', added: version('1.0.0'), named: ['1.0.0+linux'] },
  ])('is rejected for a published version with $name', ({ there, added, named }) => {
    const error = rejection(() => addVersion(list(version(there)), added, 'versions.json'));
    expect(error).toMatchObject({ code: 'immutable', exit: 1 });
    for (const word of named) expect(error.message).toContain(word);
  });

  test('escapes listed text in messages', () => {
    const error = rejection(() =>
      addVersion(list({ ...version('1.0.0'), artifactChecksum: '\u001b[31m' }), version('1.0.0'), 'f'),
    );
    expect(error.message).not.toContain('\u001b');
  });

  test('is based on the valid versions with their index', () => {
    const versions = validVersions(documentWithText(list(version('1.0.0'), { version: 'x' }, version('1.2.0')), 'f'));
    expect(versions.map((one) => [one.index, one.version])).toEqual([
      [0, '1.0.0'],
      [2, '1.2.0'],
    ]);
    expect(validVersions(documentWithText(newMetadata(), 'f'))).toEqual([]);
  });
});

describe('adding an app', () => {
  test('inserts it into a new manifest', () => {
    expect(addApp(manifests.newManifest(), 'a', app, 'registry.json')).toBe(
      `${JSON.stringify({ apps: { a: app } }, null, 2)}\n`,
    );
  });

  test.each(['__proto__', 'constructor', 'toString', '2'])('accepts the key %s', (key) => {
    const once = addApp(manifests.newManifest(), key, app, 'f')!;
    expect(Object.keys((JSON.parse(once) as { apps: object }).apps)).toEqual([key]);
    expect(addApp(once, key, app, 'f')).toBeNull();
    expect(rejection(() => addApp(once, key, { ...app, name: 'B' }, 'f'))).toMatchObject({
      code: 'already-exists',
      exit: 1,
    });
  });
});

/** Documents that must not be edited, with the position and the advice. */
const rejected: { what: string; document: string | Uint8Array; message: string | RegExp }[] = [
  {
    what: 'a name twice',
    document: '{"versions":[],\n "versions":[]}',
    message: /^v\.json:2:2: The name “versions” occurs twice/,
  },
  {
    what: 'a name twice, spelt with an escape',
    document: '{"versions":[],"x":{"a":1,"\\u0061":2}}',
    message: /^v\.json:1:27: The name “a” occurs twice/,
  },
  {
    what: 'a name twice in a version',
    document: '{"versions":[{"version":"1.0.0","version":"1.0.0"}]}',
    message: /occurs twice/,
  },
  {
    what: 'invalid UTF-8',
    document: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    message: /^v\.json: Byte 2 \(0xff\) is not valid UTF-8/,
  },
  { what: 'UTF-16', document: new Uint8Array([0xff, 0xfe, 0x7b, 0x00]), message: /UTF-16/ },
  { what: 'a trailing comma', document: '{\n  "versions": [],\n}', message: /^v\.json:2:\d+: / },
  { what: 'a comment', document: '{"versions":[]} // c', message: /^v\.json:1:17: / },
  { what: 'nothing at all', document: '', message: /^v\.json:1:1: The file is empty/ },
  { what: 'half a document', document: '{"versions":[', message: /^v\.json:1:/ },
  { what: 'an HTML page', document: '<!doctype html><title>Sign in</title>', message: /HTML page/ },
  { what: 'a lone surrogate', document: '{"versions":[],"x":"\\ud800"}', message: /^v\.json:1:/ },
  { what: 'a raw line break in a string', document: '{"versions":[],"x":"a\nb"}', message: /^v\.json:1:/ },
  {
    what: 'excess depth',
    document: `{"versions":[],"x":${'['.repeat(80)}${']'.repeat(80)}}`,
    message: /nested more than 64/,
  },
  { what: 'an array as root', document: '[]', message: /^v\.json:1:1: The document is not a JSON object/ },
  { what: 'null as root', document: 'null', message: /not a JSON object/ },
  { what: 'no versions', document: '{\n  "version": []\n}', message: /^v\.json:1:1: The field “versions” is missing/ },
  {
    what: 'versions of another type',
    document: '{\n  "versions": {}\n}',
    message: /^v\.json:2:15: The field “versions” is not an array/,
  },
  {
    what: 'versions that are inherited',
    document: '{"__proto__":{"versions":[]}}',
    message: /must be the whole document/,
  },
];

test.each(rejected)('editing is rejected for $what', ({ document, message }) => {
  const content = documentContent(typeof document === 'string' ? new TextEncoder().encode(document) : document);
  const error = rejection(() => addVersionTo(openDocument(content, 'v.json'), version('1.0.0')));
  expect(error).toMatchObject({ code: 'document-invalid', exit: 1 });
  expect(error.message).toMatch(message);
  expect(error.message).toContain('The file was left as it is.');
  expect(error.hint).not.toBe('');
});

test('editing is rejected for a manifest whose apps are a list', () => {
  expect(rejection(() => addApp('{"apps": []}', 'a', app, 'r.json')).message).toMatch(
    /^r\.json:1:10: The field “apps” is not an object/,
  );
});

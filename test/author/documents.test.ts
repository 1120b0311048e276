import { describe, expect, test } from 'vitest';
import { documentWithText, openDocument } from '../../src/author/document.ts';
import * as manifests from '../../src/author/manifest.ts';
import { addVersion as addVersionTo, newMetadata, type NewVersion, validVersions } from '../../src/author/metadata.ts';
import { documentContent } from '../../src/core/json/json.ts';
import type { AppregError } from '../../src/core/errors.ts';

const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
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
  const cases: [what: string, before: string[], added: string, after: string[]][] = [
    ['the first one', [], '1.0.0', ['1.0.0']],
    ['behind the only one', ['1.0.0'], '2.0.0', ['1.0.0', '2.0.0']],
    ['at the end of a list that ascends', ['1.0.0', '1.1.0'], '2.0.0', ['1.0.0', '1.1.0', '2.0.0']],
    ['in front of a list that descends', ['1.1.0', '1.0.0'], '2.0.0', ['2.0.0', '1.1.0', '1.0.0']],
    ['at its place in a list that descends', ['2.0.0', '1.0.0'], '1.0.1', ['2.0.0', '1.0.1', '1.0.0']],
    ['behind all in a list that descends', ['2.0.0', '1.0.0'], '0.9.0', ['2.0.0', '1.0.0', '0.9.0']],
    ['numbers are compared as numbers', ['1.10.0', '1.9.0'], '1.11.0', ['1.11.0', '1.10.0', '1.9.0']],
    ['at the end of a list without order', ['1.0.0', '3.0.0', '2.0.0'], '4.0.0', ['1.0.0', '3.0.0', '2.0.0', '4.0.0']],
    ['past invalid versions', ['2.0.0', 'latest', '1.0.0'], '3.0.0', ['3.0.0', '2.0.0', 'latest', '1.0.0']],
  ];
  test.each(cases)('inserts it by the order of the list: %s', (_, before, added, after) => {
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
    ['other bytes', '1.0.0', version('1.0.0', 'b'), [digest('a'), digest('b')]],
    ['other build metadata', '1.0.0+linux', version('1.0.0'), ['1.0.0+linux']],
  ])('is rejected for a published version with %s', (_, there, added, named) => {
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
const rejected: [what: string, document: string | Uint8Array, message: string | RegExp][] = [
  ['a byte order mark', '\ufeff{"versions":[]}', /^v\.json:1:1: .*byte order mark/],
  ['a name twice', '{"versions":[],\n "versions":[]}', /^v\.json:2:2: The name “versions” occurs twice/],
  [
    'a name twice, spelt with an escape',
    '{"versions":[],"x":{"a":1,"\\u0061":2}}',
    /^v\.json:1:27: The name “a” occurs twice/,
  ],
  ['a name twice in a version', '{"versions":[{"version":"1.0.0","version":"1.0.0"}]}', /occurs twice/],
  ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), /^v\.json: Byte 2 \(0xff\) is not valid UTF-8/],
  ['UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0x00]), /UTF-16/],
  ['a trailing comma', '{\n  "versions": [],\n}', /^v\.json:2:\d+: /],
  ['a comment', '{"versions":[]} // c', /^v\.json:1:17: /],
  ['nothing at all', '', /^v\.json:1:1: The file is empty/],
  ['half a document', '{"versions":[', /^v\.json:1:/],
  ['an HTML page', '<!doctype html><title>Sign in</title>', /HTML page/],
  ['a lone surrogate', '{"versions":[],"x":"\\ud800"}', /^v\.json:1:/],
  ['a raw line break in a string', '{"versions":[],"x":"a\nb"}', /^v\.json:1:/],
  ['excess depth', `{"versions":[],"x":${'['.repeat(80)}${']'.repeat(80)}}`, /nested more than 64/],
  ['an array as root', '[]', /^v\.json:1:1: The document is not a JSON object/],
  ['null as root', 'null', /not a JSON object/],
  ['no versions', '{\n  "version": []\n}', /^v\.json:1:1: The field “versions” is missing/],
  ['versions of another type', '{\n  "versions": {}\n}', /^v\.json:2:15: The field “versions” is not an array/],
  ['versions that are inherited', '{"__proto__":{"versions":[]}}', /is missing/],
];

test.each(rejected)('editing is rejected for %s', (_, document, message) => {
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

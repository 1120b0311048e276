import { describe, expect, test } from 'vitest';
import { declaredVersion, isProblem, withVersion } from '../../../src/core/release/version-file.ts';

const read = (file: string, text: string | Uint8Array) =>
  declaredVersion(file, typeof text === 'string' ? new TextEncoder().encode(text) : text);

describe.each<[string, string, string, string]>([
  ['a text', 'VERSION', '1.2.3', '1.2.4'],
  ['a final newline', 'VERSION', '1.2.3\n', '1.2.4\n'],
  ['CRLF and blank lines', 'VERSION', '\r\n1.2.3\r\n \r\n', '\r\n1.2.4\r\n \r\n'],
  ['a byte order mark', 'VERSION', '\ufeff1.2.3\n', '\ufeff1.2.4\n'],
  ['a byte order mark before a blank line', 'VERSION', '\ufeff\n1.2.3\n', '\ufeff\n1.2.4\n'],
  ['package.json', 'package.json', '{\n\t"name": "x", "version":"1.2.3" }', '{\n\t"name": "x", "version":"1.2.4" }'],
  ['JSON with a mark and CRLF', 'a.JSON', '\ufeff{\r\n "version": "1.2.3"\r\n}', '\ufeff{\r\n "version": "1.2.4"\r\n}'],
  [
    'other versions in it',
    'p.json',
    '{"d":{"version":"1.2.3"},"version":"1.2.3"}',
    '{"d":{"version":"1.2.3"},"version":"1.2.4"}',
  ],
])('%s', (_, file, text, after) => {
  test('is read', () => {
    expect(read(file, text)).toMatchObject({ version: '1.2.3' });
  });

  test('keeps everything else when it is raised', () => {
    const found = read(file, text);
    expect(isProblem(found) ? found.message : withVersion(found, '1.2.4')).toBe(after);
  });
});

test.each<[string, string, string | Uint8Array, string, string]>([
  [
    'a prefix',
    'VERSION',
    'v1.2.3\n',
    'VERSION contains “v1.2.3”, which is not a semantic version.',
    'Write it as 1.2.3',
  ],
  ['spaces', 'VERSION', ' 1.2.3 \n', 'VERSION contains “ 1.2.3 ”, which', 'Write it as 1.2.3'],
  [
    'two lines',
    'VERSION',
    '1.2.3\n1.2.4\n',
    'VERSION has 2 lines of text instead of one version',
    'Write one version, such as 1.2.0.',
  ],
  ['nothing', 'VERSION', '\ufeff\r\n\n', 'VERSION is empty.', 'Write one version, such as 1.2.0.'],
  ['two numbers', 'VERSION', '1.2', 'VERSION contains “1.2”', 'Write it as 1.2.0'],
  ['text', 'VERSION', 'next', 'VERSION contains “next”', 'Write one version'],
  ['UTF-16', 'VERSION', new Uint8Array([0xff, 0xfe, 0x31, 0]), 'VERSION is not UTF-8, but UTF-16', 'Save it as UTF-8.'],
  ['control characters', 'VERSION', '1.0.0\u001b[31m', 'VERSION contains “1.0.0\\u{1b}[31m”', 'Write one version'],
  [
    'a number in JSON',
    'package.json',
    '{"version":1.2}',
    '"version" in package.json is the number 1.2, not',
    'Write it as a string: "1.2.0"',
  ],
  ['null in JSON', 'package.json', '{"version":null}', '"version" in package.json is null', 'Write one version'],
  ['no version', 'package.json', '{}', 'package.json has no "version".', 'Add "version": "1.0.0"'],
  ['no object', 'package.json', '[]', 'package.json is not a JSON object.', 'Add'],
  ['no JSON', 'package.json', '{', 'package.json:1:2: ', 'Fix the file.'],
  [
    'a version twice',
    'package.json',
    '{"version":"1.0.0","version":"1.0.1"}',
    'package.json has "version" twice.',
    'Remove',
  ],
  [
    'a prefix in JSON',
    'package.json',
    '{"version":"v1.0.0"}',
    'package.json has the version “v1.0.0”',
    'Write it as 1.0.0',
  ],
])('refuses %s', (_, file, text, message, advice) => {
  const found = read(file, text);
  expect(isProblem(found) ? found : null).toEqual({
    message: expect.stringContaining(message),
    advice: expect.stringContaining(advice),
  });
});

import { expect, test } from 'vitest';
import { withPackageVersion } from '../../../src/core/release/version-file.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each([
  [
    'of npm 7 and later',
    '{\n  "name": "clock",\n  "version": "1.2.3",\n  "packages": {\n    "": { "version": "1.2.3" },\n    "node_modules/a": { "version": "1.2.3" }\n  }\n}\n',
    '{\n  "name": "clock",\n  "version": "1.10.0",\n  "packages": {\n    "": { "version": "1.10.0" },\n    "node_modules/a": { "version": "1.2.3" }\n  }\n}\n',
  ],
  [
    'whose packages come first',
    '{"packages":{"":{"version":"1.0.0"}},"version":"1"}',
    '{"packages":{"":{"version":"1.10.0"}},"version":"1.10.0"}',
  ],
  [
    'of npm 6, with a byte order mark and CRLF',
    '\ufeff{\r\n\t"version" : "1.2.3",\r\n\t"dependencies": { "a": { "version": "1.2.3" } } }',
    '\ufeff{\r\n\t"version" : "1.10.0",\r\n\t"dependencies": { "a": { "version": "1.2.3" } } }',
  ],
  ['without a version', '{ "packages": { "": { "name": "clock" } } }', null],
  ['that is not an object', '["version"]', null],
  ['that is not JSON', '{ "version": "1.2.3"', null],
  ['whose version is a number', '{ "version": 1 }', null],
])('a lock file %s', (_, before, after) => {
  expect(withPackageVersion(bytes(before), '', '1.10.0')).toBe(after);
});

test('a lock file that is not UTF-8 is left out', () => {
  expect(withPackageVersion(Uint8Array.of(0x7b, 0xff, 0x7d), '', '1.0.0')).toBeNull();
});

const WORKSPACES = JSON.stringify({
  version: '1.0.0',
  packages: { '': { version: '1.0.0' }, 'apps/clock': { version: '2.0.0' }, 'apps/~/lamp': { name: 'lamp' } },
});

test.each([
  ['apps/clock', WORKSPACES.replace('2.0.0', '1.10.0')],
  ['apps/~/lamp', null],
  ['apps', null],
  ['toString', null],
])('the lock file of a repository changes the version of the workspace %s alone', (folder, after) => {
  expect(withPackageVersion(bytes(WORKSPACES), folder, '1.10.0')).toBe(after);
});

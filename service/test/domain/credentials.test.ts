import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/core/json/json.ts';
import { authHeader, insecureAuthFault, readAuth } from '../../src/domain/credentials.ts';

/** The credentials of a private registry, as they are given. */

/** Credentials that are refused, and the fields that the response names. */
const INVALID: [name: string, body: JsonValue, fields: string[]][] = [
  ['without a type', {}, ['type']],
  ['of an unknown type', { type: 'digest', token: 'contract-credential' }, ['type']],
  ['that are a text', 'contract-credential', ['']],
  ['without a token', { type: 'bearer' }, ['token']],
  ['with a number for a token', { type: 'bearer', token: 1 }, ['token']],
  ['with a line break in the token', { type: 'bearer', token: 'contract-credential\r\nHost: x' }, ['token']],
  ['with “Bearer” in the token', { type: 'bearer', token: 'Bearer contract-credential' }, ['token']],
  ['without a password', { type: 'basic', username: 'a' }, ['password']],
  ['with an empty user name and password', { type: 'basic', username: '', password: '' }, ['password']],
  ['with a colon in the user name', { type: 'basic', username: 'a:b', password: 'contract-credential' }, ['username']],
  ['with NUL in the password', { type: 'basic', username: 'a', password: 'contract-credential\0' }, ['password']],
  ...[
    'Host',
    'connection',
    'Transfer-Encoding',
    'Content-Length',
    'Cookie:',
    'X Y',
    'X-A\r\nB',
    'Proxy-Authorization',
    'If-Match',
    'Range',
    'Accept',
    '',
  ].map((name): [string, JsonValue, string[]] => [
    `in the header ${JSON.stringify(name)}`,
    { type: 'header', name, value: 'contract-credential' },
    ['name'],
  ]),
  ['with a line break in the value', { type: 'header', name: 'X-Key', value: 'contract-credential\nA: b' }, ['value']],
  [
    'with a letter beyond ASCII in the value',
    { type: 'header', name: 'X-Key', value: 'contract-credential é' },
    ['value'],
  ],
  ['with a space at the end of the value', { type: 'header', name: 'X-Key', value: 'contract-credential ' }, ['value']],
  ['with nothing', { type: 'header' }, ['name', 'value']],
];

test.each(INVALID)('credentials %s are refused, without their values', (_, body, fields) => {
  const read = readAuth(body);
  if (!('faults' in read)) throw new Error('They are not refused.');
  expect(read.faults.map(({ field }) => field)).toEqual(fields);
  expect(JSON.stringify(read.faults)).not.toContain('contract-credential');
});

test.each<[JsonValue, string, string]>([
  [{ type: 'bearer', token: 'a.b-c_d~e+f/g=' }, 'authorization', 'Bearer a.b-c_d~e+f/g='],
  [{ type: 'basic', username: 'rö', password: '', more: 1 }, 'authorization', 'Basic csO2Og=='],
  [{ type: 'header', name: 'X-Api-Key', value: 'a b' }, 'x-api-key', 'a b'],
  [{ type: 'header', name: 'Cookie', value: 'session=1' }, 'cookie', 'session=1'],
])('%j is a header', (body, name, value) => {
  const read = readAuth(body);
  expect('auth' in read && authHeader(read.auth)).toEqual([name, value]);
});

test.each([
  ['https://apps.example.com/', true],
  ['http://localhost:8080/', true],
  ['http://127.0.0.1/', true],
  ['http://[::1]:80/', true],
  ['http://apps.example.com/', false],
  ['http://localhost.example.com/', false],
  ['http://10.0.0.1/', false],
])('credentials are sent to %s: %s', (url, isSent) => {
  expect(insecureAuthFault(url) === null).toBe(isSent);
});

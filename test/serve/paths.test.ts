import { execFileSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { isPrivate, targetSegments } from '../../src/serve/files.ts';
import type { Serving } from '../../src/serve/server.ts';
import { folder } from '../support/folders.ts';
import { sendRequest, fill, raw, rawGet, startTestServer } from './support.ts';

describe('segmentsOf', () => {
  test.each<[string, string[]]>([
    ['/registry.json', ['registry.json']],
    ['/a/b/c.tar.gz?x=/../y#z', ['a', 'b', 'c.tar.gz']],
    ['/with%20space/%C3%BC.json', ['with space', 'ü.json']],
    ['http://other.example/a.json', ['a.json']],
    ['/%252e%252e/x', ['%2e%2e', 'x']],
    ['/..a/...b', ['..a', '...b']],
  ])('splits and decodes %s', (target, segments) => expect(targetSegments(target)).toEqual(segments));

  test.each([
    '/',
    '',
    '*',
    'registry.json',
    '//registry.json',
    '/a//b',
    '/a/',
    '/.',
    '/..',
    '/a/../b',
    '/%2e%2e/b',
    '/%2E./b',
    '/a%2fb',
    '/a%5cb',
    '/a\\b',
    '/..\\b',
    '/c:/x',
    '/C%3A/x',
    '/a.json::$DATA',
    '/a.json:s',
    '/a%00.json',
    '/a%0a',
    '/a%7f',
    '/a.',
    '/a%20',
    '/a.json%2e',
    '/%',
    '/%zz',
    '/%ff',
    '/%c0%ae%c0%ae/x',
    'http://other.example',
  ])('rejects %s', (target) => expect(targetSegments(target)).toBeNull());

  test.each(['/con', '/apps/NUL.json', '/aux.tar.gz', '/COM1', '/lpt%C2%B2.txt', '/CONIN$'])(
    'rejects %s on Windows, where it is a device name',
    (target) => {
      expect(targetSegments(target, 'win32')).toBeNull();
      expect(targetSegments(target, 'linux')).not.toBeNull();
    },
  );

  test.each(['/console', '/com.json', '/nullable/aux-1'])('accepts %s on Windows', (target) =>
    expect(targetSegments(target, 'win32')).not.toBeNull(),
  );
});

test.each([
  ['.env', true],
  ['.git', true],
  ['appreg.config.json', true],
  ['APPREG.Config.MJS', true],
  ['.appregrc', true],
  ['package.json', true],
  ['node_modules', true],
  ['registry.json.lock', true],
  ['yarn.lock', true],
  ['x.json.tmp', true],
  ['x~', true],
  ['registry.json', false],
  ['appreg.json', false],
  ['1.2.3.tar.gz', false],
  ['lock', false],
])('isPrivate(%s) is %s', (name, expected) => expect(isPrivate(name)).toBe(expected));

describe('the server', () => {
  let root: string;
  let server: Serving;
  const SECRET = 'not for your eyes';

  beforeAll(async () => {
    const outer = folder();
    root = join(outer, 'site');
    await fill(outer, { 'secret.txt': SECRET, 'site-b/secret.txt': SECRET });
    await fill(root, {
      'registry.json': '{"apps":{}}',
      'apps/a/icon.svg': '<svg/>',
      'with space/ü.json': '{}',
      '.env': SECRET,
      '.git/config': SECRET,
      'apps/.hidden/x.json': SECRET,
      'appreg.config.json': SECRET,
      'other-config.yaml': SECRET,
      'package.json': SECRET,
      'node_modules/m/x.json': SECRET,
      'registry.json.lock': SECRET,
    });
    await symlink(join(outer, 'secret.txt'), join(root, 'out.txt'));
    await symlink(outer, join(root, 'up'));
    await symlink(join(outer, 'site-b'), join(root, 'beside'));
    await symlink('.env', join(root, 'env.txt'));
    await symlink('.git', join(root, 'git'));
    await symlink('registry.json', join(root, 'same.json'));
    await symlink('apps/a', join(root, 'alias'));
    await symlink('loop', join(root, 'loop'));
    await symlink('nowhere', join(root, 'dangling'));
    server = await startTestServer(root, { hidden: [join(root, 'other-config.yaml')] });
  });

  test.each([
    '/../secret.txt',
    '/apps/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/..%5csecret.txt',
    '/..\\secret.txt',
    '/%252e%252e/secret.txt',
    '/..;/secret.txt',
    '/....//secret.txt',
    '/apps/%2e%2e/%2e%2e/secret.txt',
    '/./registry.json',
    '//registry.json',
    '/registry.json/',
    '/registry.json%00',
    '/registry.json%00.png',
    '/registry.json.',
    '/registry.json%20',
    '/registry.json::$DATA',
    '/C:/secret.txt',
    '/%c0%ae%c0%ae/secret.txt',
    '/%e0%80%ae%e0%80%ae/secret.txt',
    '/%',
    '/out.txt',
    '/up/secret.txt',
    '/up/site-b/secret.txt',
    '/beside/secret.txt',
    '/env.txt',
    '/git/config',
    '/loop',
    '/dangling',
    '/.env',
    '/%2eenv',
    '/.git/config',
    '/apps/.hidden/x.json',
    '/appreg.config.json',
    '/APPREG.CONFIG.JSON',
    '/appreg%2econfig.json',
    '/other-config.yaml',
    '/package.json',
    '/node_modules/m/x.json',
    '/registry.json.lock',
    '/',
    '/apps',
    '/apps/',
    '/apps/a',
    '/nothing.json',
    '/registry.json/x',
    `/${'a'.repeat(300)}`,
    `/${'a/'.repeat(2000)}a`,
    'http://other.example/../secret.txt',
    'http://other.example',
    '/?/registry.json',
    '/#/registry.json',
    '*',
  ])('responds with 404 to %s', async (target) => {
    const { status, text } = await rawGet(server.port, target);
    expect(status).toBe(404);
    expect(text).not.toContain(SECRET);
    expect(text).toContain(`The manifest is at ${server.manifestUrl}`);
  });

  test.each([
    '/registry.json',
    '/registry.json?v=1',
    '/%72egistry.json',
    '/same.json',
    '/alias/icon.svg',
    '/with%20space/%C3%BC.json',
    'http://other.example/registry.json',
    '/registry.json?/../../secret.txt',
  ])('responds with 200 to %s', async (target) => expect((await rawGet(server.port, target)).status).toBe(200));

  test.each([
    'GET /\u00fc HTTP/1.1\r\nHost: x\r\n\r\n',
    'BOGUS\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00',
    'GET / HTTP/9.9\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nA\x00: b\r\n\r\n',
    `GET /${'x'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
  ])('rejects the malformed request %j and continues', async (bytes) => {
    const reply = await raw(server.port, bytes).catch((error: NodeJS.ErrnoException) => error.code);
    if (reply !== 'ECONNRESET') expect(reply).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect((await sendRequest(server.manifestUrl)).status).toBe(200);
  });

  test.skipIf(process.platform === 'win32')(
    'responds with 404 to a pipe or a folder with the name of a file',
    async () => {
      execFileSync('mkfifo', [join(root, 'pipe.json')]);
      await mkdir(join(root, 'folder.json'));
      expect((await sendRequest(`${server.url}pipe.json`)).status).toBe(404);
      expect((await sendRequest(`${server.url}folder.json`)).status).toBe(404);
    },
  );

  test('responds with 403 to an unreadable file', async () => {
    if (process.platform === 'win32' || process.getuid?.() === 0) return;
    await fill(root, { 'closed.json': '{}' });
    execFileSync('chmod', ['000', join(root, 'closed.json')]);
    expect((await sendRequest(`${server.url}closed.json`)).status).toBe(403);
  });
});

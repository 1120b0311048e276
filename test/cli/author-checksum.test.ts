import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { runChecksum } from '../../src/cli/commands/checksum.ts';
import { folder } from '../support/folders.ts';
import { contextIn, refusal } from './author-support.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const sha = (bytes: string | Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

test('prints only the checksum for one file', async () => {
  const dir = folder();
  const bytes = Buffer.alloc(3_000_000, 'appreg');
  writeFileSync(join(dir, 'a.tar.gz'), bytes);
  const context = contextIn(dir);
  expect(await runChecksum(context, ['a.tar.gz'])).toBe(0);
  expect(context.printed).toMatchObject({ out: [sha(bytes)], log: [] });
});

test('prints each checksum with the escaped name of its file for several files', async () => {
  const dir = folder();
  writeFileSync(join(dir, 'a'), 'a');
  writeFileSync(join(dir, 'b\u001b[31m'), 'b');
  const context = contextIn(dir);
  await runChecksum(context, ['a', 'b\u001b[31m']);
  expect(context.printed.out).toEqual([`${sha('a')}  a\n${sha('b')}  b\\u{1b}[31m`]);
});

test('prints one JSON document with --format json', async () => {
  const dir = folder();
  writeFileSync(join(dir, 'a'), 'abc');
  const context = contextIn(dir, { format: 'json' });
  await runChecksum(context, ['a']);
  expect(context.printed.out.map((text) => JSON.parse(text) as unknown)).toMatchObject([
    { schema: 1, files: [{ target: 'a', checksum: sha('abc'), bytes: 3, error: null }] },
  ]);
});

test('hashes the bytes of a URL as transferred, after redirects', async () => {
  const packed = gzipSync('content');
  const url = await serving((request, response) => {
    if (request.url === '/from') return void response.writeHead(302, { location: '/to' }).end();
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
  });
  const context = contextIn(folder());
  await runChecksum(context, [`${url}/from`]);
  expect(context.printed.out).toEqual([sha(packed)]);
});

test.each([
  { name: 'an HTML page', text: '<!doctype html><title>Sign in</title>', warning: 'HTML page' },
  {
    name: 'a Git LFS pointer',
    text: 'version https://git-lfs.github.com/spec/v1\noid sha256:x\nsize 1\n',
    warning: 'Git LFS pointer',
  },
  { name: 'an empty file', text: '', warning: 'is empty' },
])('$name is hashed with a warning', async ({ text, warning }) => {
  const dir = folder();
  writeFileSync(join(dir, 'a'), text);
  const context = contextIn(dir);
  expect(await runChecksum(context, ['a'])).toBe(0);
  expect(context.printed.out).toEqual([sha(text)]);
  expect(context.printed.log.join()).toContain(warning);
});

test('inputs that cannot be hashed are refused with an error code', async () => {
  const url = await serving((_, response) => void response.writeHead(404).end('gone'));
  const dir = folder();
  const context = contextIn(dir);
  expect(await refusal(runChecksum(context, [`${url}/a?sig=secret`]))).toMatchObject({
    code: 'download-failed',
    exit: 1,
    message: expect.stringMatching(
      /sig=REDACTED: The artifact cannot be fetched: the host responds with 404/,
    ) as string,
  });
  expect(await refusal(runChecksum(context, ['gone.tar.gz']))).toMatchObject({ code: 'file-unreadable', exit: 2 });
  expect(await refusal(runChecksum(context, ['.']))).toMatchObject({
    code: 'file-unreadable',
    exit: 2,
    message: '. is a folder.',
    hint: 'Give a .tar.gz file, or pack the folder with appreg bundle.',
  });
  expect(await refusal(runChecksum(context, ['https://me:pw@x.test/a']))).toMatchObject({
    code: 'url-invalid',
    exit: 2,
    message: expect.not.stringContaining('pw@') as string,
  });
  expect(context.printed.out).toEqual([]);
});

describe('with several targets, of which some cannot be read', () => {
  const dir = folder();
  writeFileSync(join(dir, 'a'), 'a');
  writeFileSync(join(dir, 'z'), 'z');

  test('prints the checksums of the others, and names each bad one', async () => {
    const context = contextIn(dir);
    expect(await runChecksum(context, ['a', 'gone', '.', 'z'])).toBe(2);
    expect(context.printed.out).toEqual([`${sha('a')}  a\n${sha('z')}  z`]);
    expect(context.printed.error).toEqual([
      'gone does not exist.\n  Check the path and its permissions.',
      '. is a folder.\n  Give a .tar.gz file, or pack the folder with appreg bundle.',
      '2 of 4 targets could not be read: “gone”, “.”.\n  Correct these, and run the command again for them.',
    ]);
  });

  test('prints nothing on stdout if none can be read', async () => {
    const context = contextIn(dir);
    expect(await runChecksum(context, ['gone', 'https://me:pw@x.test/a'])).toBe(2);
    expect(context.printed.out).toEqual([]);
    expect(context.printed.error.join()).not.toContain('pw@');
  });

  test('the JSON document has an entry for each', async () => {
    const context = contextIn(dir, { format: 'json' });
    expect(await runChecksum(context, ['gone', 'a'])).toBe(2);
    expect(JSON.parse(context.printed.out[0]!)).toMatchObject({
      outcome: 'failed',
      error: { code: 'checksum-incomplete', exit: 2 },
      files: [
        { target: 'gone', checksum: null, bytes: null, error: { code: 'file-unreadable' } },
        { target: 'a', checksum: sha('a'), bytes: 1, error: null },
      ],
    });
  });
});

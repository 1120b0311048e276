import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { runPublishVersion } from '../../src/cli/commands/publish-version.ts';
import { tarGz } from '../publish/memory.ts';
import { contextIn, refusal, snapshot } from './author-support.ts';
import { FIRST_ARTIFACT, SECOND_ARTIFACT, workspace, publish, listedVersions, lintsClean } from './publish-fixture.ts';

/** publish-version. */

const sha = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const servers: Server[] = [];

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A host that serves the workspace's files, and records how many versions were listed at each request. */
async function live(
  change: (bytes: Buffer) => Buffer = (bytes) => bytes,
): Promise<{ dir: string; requests: { url: string; listed: number }[] }> {
  const requests: { url: string; listed: number }[] = [];
  let dir = '';
  const base = await serving((request, response) => {
    const path = new URL(request.url!, 'http://x').pathname;
    requests.push({ url: request.url!, listed: listedVersions(dir).length });
    const file = join(dir, path);
    if (existsSync(file)) response.end(change(readFileSync(file)));
    else response.writeHead(404).end();
  });
  dir = await workspace(base);
  return { dir, requests };
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

describe('publish-version', () => {
  test('names the file for which an increment skips a number, unless it has these bytes', async () => {
    const dir = await workspace();
    await publish(dir, '1.0.0');
    const leftover = 'apps/a/versions/1.1.0.tar.gz';
    writeFileSync(join(dir, leftover), SECOND_ARTIFACT);
    writeFileSync(join(dir, 'third.tar.gz'), tarGz('third'));
    const skipping = contextIn(dir);
    const options = { artifact: 'third.tar.gz', readBack: false, anyContent: true };
    await runPublishVersion(skipping, 'a', 'minor', { ...options, dryRun: true });
    expect(skipping.printed.log.join('\n')).toContain(`note: 1.1.0 is skipped: ${leftover} exists`);
    expect(skipping.printed.out.join('\n')).toContain('a 1.1.1');
    writeFileSync(join(dir, 'second.tar.gz'), SECOND_ARTIFACT);
    const same = contextIn(dir);
    await runPublishVersion(same, 'a', 'minor', { ...options, artifact: 'second.tar.gz' });
    expect(same.printed.log.join('\n')).not.toContain('skipped');
    expect(listedVersions(dir).map(({ version }) => version)).toEqual(['1.0.0', '1.1.0']);
  });

  test('stores and lists a version that lints clean', async () => {
    const dir = await workspace();
    const { printed } = await publish(dir, '1.0.0');
    expect(readFileSync(join(dir, 'apps/a/versions/1.0.0.tar.gz'))).toEqual(FIRST_ARTIFACT);
    expect(listedVersions(dir)).toEqual([
      {
        version: '1.0.0',
        artifactUrl: 'https://apps.example.com/apps/a/versions/1.0.0.tar.gz',
        artifactChecksum: sha(FIRST_ARTIFACT),
      },
    ]);
    expect(printed.out.join('\n')).toMatch(
      /^published a 1\.0\.0\n {2}sha256:[0-9a-f]{64} {2}[\d,]+ bytes\n {2}https:.*\n {2}created apps\/a\/versions\/1\.0\.0\.tar\.gz\n {2}edited apps\/a\/versions\.json$/,
    );
    expect(printed.next).toEqual([
      'appreg lint; upload the folder; appreg verify https://apps.example.com/registry.json',
    ]);
    await lintsClean(dir);
  });

  test('builds the artifact from an entry point and its UI', async () => {
    const dir = await workspace();
    writeFileSync(join(dir, '../main.ts'), 'export const answer: number = 42;');
    writeFileSync(join(dir, '../ui.ts'), 'export const ui: string = "x";');
    const { printed } = await publish(dir, '0.1.0', { entry: '../main.ts', ui: '../ui.ts', format: 'json' });
    expect(JSON.parse(printed.out.join())).toMatchObject({
      app: 'a',
      version: '0.1.0',
      status: 'published',
      artifactChecksum: listedVersions(dir)[0]!['artifactChecksum'],
      steps: [
        { kind: 'create', outcome: 'created' },
        { kind: 'edit', outcome: 'edited' },
      ],
    });
    expect(
      JSON.parse(
        (await publish(dir, 'minor', { entry: '../main.ts', ui: '../ui.ts', format: 'json' })).printed.out.join(),
      ),
    ).toMatchObject({ version: '0.1.0', status: 'already-published' });
    await lintsClean(dir);
  });

  test('increments by major, minor and patch', async () => {
    const dir = await workspace();
    for (const [word, code] of [
      ['1.0.0', 'a'],
      ['patch', 'b'],
      ['minor', 'c'],
      ['major', 'd'],
      ['patch', 'e'],
    ] as const) {
      writeFileSync(join(dir, 'x.tar.gz'), tarGz(code));
      await publish(dir, word, { artifact: 'x.tar.gz' });
    }
    expect(listedVersions(dir).map(({ version }) => version)).toEqual(['1.0.0', '1.0.1', '1.1.0', '2.0.0', '2.0.1']);
  });

  test.each(['__proto__', 'constructor', '2'])('accepts the app key %s', async (key) => {
    const dir = await workspace(undefined, key);
    expect(await runPublishVersion(contextIn(dir), key, '1.0.0', { artifact: '../one.tar.gz', readBack: false })).toBe(
      0,
    );
    expect(existsSync(join(dir, 'apps', key, 'versions/1.0.0.tar.gz'))).toBe(true);
    await lintsClean(dir);
  });
});

describe('1. a published version never changes', () => {
  test('publishing the same bytes again succeeds and writes nothing', async () => {
    const dir = await workspace();
    await publish(dir, '1.0.0');
    const before = snapshot(dir);
    for (const word of ['1.0.0', 'patch', 'major']) {
      expect((await publish(dir, word)).printed.out[0]).toMatch(/^already published as a 1\.0\.0/);
    }
    expect(snapshot(dir)).toBe(before);
  });

  test('other bytes are refused with both digests, and nothing is written', async () => {
    const dir = await workspace();
    await publish(dir, '1.0.0');
    const before = snapshot(dir);
    const error = await refusal(publish(dir, '1.0.0', { artifact: '../two.tar.gz' }));
    expect(error).toMatchObject({ code: 'immutable', exit: 1 });
    expect(error.message).toContain(sha(FIRST_ARTIFACT));
    expect(error.message).toContain(sha(SECOND_ARTIFACT));
    expect(snapshot(dir)).toBe(before);
  });

  test('a stored artifact that is not listed is never overwritten', async () => {
    const dir = await workspace();
    mkdirSync(join(dir, 'apps/a/versions'));
    writeFileSync(join(dir, 'apps/a/versions/1.0.0.tar.gz'), SECOND_ARTIFACT);
    const before = snapshot(dir);
    expect(await refusal(publish(dir, '1.0.0'))).toMatchObject({ code: 'immutable', exit: 1 });
    expect(snapshot(dir)).toBe(before);
  });
});

describe('2. the artifact is stored and read back before it is listed', () => {
  test('the stored bytes are requested after they are stored and before they are listed', async () => {
    const { dir, requests } = await live();
    await publish(dir, '1.0.0', { artifact: '../one.tar.gz', readBack: true });
    expect(requests).toEqual([
      { url: `/apps/a/versions/1.0.0.tar.gz?read-back=${sha(FIRST_ARTIFACT).slice(7, 23)}`, listed: 0 },
    ]);
    expect(listedVersions(dir)).toHaveLength(1);
  });

  test('a URL that serves another archive prevents the listing, and the error states what is stored', async () => {
    const { dir } = await live(() => SECOND_ARTIFACT);
    const error = await refusal(publish(dir, '1.0.0', { artifact: '../one.tar.gz', readBack: true }));
    expect(error.exit).toBe(1);
    expect(error.message).toContain(sha(FIRST_ARTIFACT));
    expect(error.message).toContain(sha(SECOND_ARTIFACT));
    expect(error.message).toContain('Stored: apps/a/versions/1.0.0.tar.gz. Not stored: apps/a/versions.json.');
    expect(listedVersions(dir)).toEqual([]);
  });

  test.each([
    {
      name: 'not found',
      answer: (): RequestListener => (_, response) => void response.writeHead(404).end(),
      message: 'the host responds with 404: the file does not exist.',
    },
    {
      name: 'an HTML page for every missing file',
      answer: (): RequestListener => (_, response) => void response.end('<!doctype html><title>App</title>'),
      message: 'responds with 200 and an HTML page (“App”) instead of the artifact.',
    },
    {
      name: 'a broken response',
      answer: (): RequestListener => (_, response) => void response.destroy(),
      message: 'cannot be fetched',
    },
  ])('a folder that is not uploaded yet only causes a remark: $name', async ({ answer, message }) => {
    const dir = await workspace(await serving(answer()));
    const { printed } = await publish(dir, '1.0.0', { artifact: '../one.tar.gz', readBack: true });
    expect(printed.log.join()).toContain('Not served yet');
    expect(printed.log.join()).toContain(message);
    expect(listedVersions(dir)).toHaveLength(1);
  });

  test('--no-read-back sends no request', async () => {
    const { dir, requests } = await live();
    await publish(dir, '1.0.0', { artifact: '../one.tar.gz', readBack: false });
    expect(requests).toEqual([]);
  });
});

describe('3. an edit of the metadata file preserves all other bytes', () => {
  const old =
    '{"version":"0.9.0" , "artifactUrl":"https://x.test/0.9.0.tar.gz","artifactChecksum":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b851","x":[1.0,-0,1E5,9007199254740993,"\\u0041\\/\u2028"]}';
  test.each([
    ['CRLF, tabs, no final newline', `{\r\n\t"x-before": { },\r\n\t"versions": [\r\n\t\t${old}\r\n\t]\r\n}`],
    ['minified', `{"versions":[${old}],"x":1}`],
    ['unusual whitespace', `\n{ "versions"\t:[${old}\n\n]  }  \n\n`],
  ])('%s', async (_, text) => {
    const dir = await workspace();
    const file = join(dir, 'apps/a/versions.json');
    writeFileSync(file, text);
    chmodSync(file, 0o640);
    await publish(dir, '1.0.0');
    const after = readFileSync(file, 'utf8');
    const end = text.indexOf(old) + old.length;
    expect(after.startsWith(text.slice(0, end))).toBe(true);
    expect(after.endsWith(text.slice(end))).toBe(true);
    expect(listedVersions(dir).map(({ version }) => version)).toEqual(['0.9.0', '1.0.0']);
  });

  test.each([
    ['a duplicate name', Buffer.from('{"versions":[],"versions":[]}')],
    [
      'a byte that is not UTF-8',
      Buffer.concat([Buffer.from('{"versions":[],"'), Buffer.from([0xff]), Buffer.from('":1}')]),
    ],
    ['a comment', Buffer.from('{"versions":[]} // none')],
    ['versions that are not an array', Buffer.from('{"versions":{}}')],
  ])('a file with %s is refused and not changed', async (_, bytes) => {
    const dir = await workspace();
    writeFileSync(join(dir, 'apps/a/versions.json'), bytes);
    const before = snapshot(dir);
    expect(await refusal(publish(dir, '1.0.0'))).toMatchObject({
      code: 'document-invalid',
      exit: 1,
      message: expect.stringContaining('apps/a/versions.json') as string,
    });
    expect(snapshot(dir)).toBe(before);
  });
});

describe('--artifact-url', () => {
  test('lists a downloaded artifact, and accepts plain http on localhost with a warning', async () => {
    const base = await serving((request, response) =>
      request.url === '/from'
        ? void response.writeHead(302, { location: '/to' }).end()
        : void response.end(FIRST_ARTIFACT),
    );
    const dir = await workspace();
    const { printed } = await publish(dir, '1.0.0', { artifactUrl: `${base}from` });
    expect(listedVersions(dir)).toEqual([
      { version: '1.0.0', artifactUrl: `${base}from`, artifactChecksum: sha(FIRST_ARTIFACT) },
    ]);
    expect(printed.log.join()).toContain('url-insecure');
    expect(existsSync(join(dir, 'apps/a/versions'))).toBe(false);
  });

  test.each([
    {
      name: 'a response with status 404',
      answer: (): RequestListener => (_, response) => void response.writeHead(404).end(),
      code: 'download-failed',
      message: 'the host responds with 404: the file does not exist.',
    },
    {
      name: 'an HTML page',
      answer: (): RequestListener => (_, response) => void response.end('<!doctype html><title>Sign in</title>'),
      code: 'artifact-invalid',
      message: 'HTML page',
    },
    {
      name: 'a truncated response',
      answer: (): RequestListener => (_, response) =>
        void response.writeHead(200, { 'content-length': 9999 }).write(FIRST_ARTIFACT, () => response.destroy()),
      code: 'download-failed',
      message: 'cannot be fetched',
    },
  ])('refuses $name', async ({ answer, code, message }) => {
    const dir = await workspace();
    const before = snapshot(dir);
    expect(await refusal(publish(dir, '1.0.0', { artifactUrl: `${await serving(answer())}a.tar.gz` }))).toMatchObject({
      code,
      exit: 1,
      message: expect.stringContaining(message) as string,
    });
    expect(snapshot(dir)).toBe(before);
  });
});

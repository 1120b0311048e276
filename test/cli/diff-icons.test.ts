import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runDiff } from '../../src/cli/commands/diff.ts';
import { runVerify } from '../../src/cli/commands/verify.ts';
import { sha256Of } from '../../src/store/bytes.ts';
import { commitAll, folder, git, write } from '../support/folders.ts';
import { answer, byMethod, CORS, type FaultHost, openFaultHost } from '../support/fault-host.ts';
import { putRegistry, SVG } from '../support/live-registry.ts';
import { contextIn } from './author-support.ts';

/** `diff` says which icons have other bytes at the same address. */

const BASE = 'https://apps.example.com/';
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452ff', 'hex');
const entryOf = (key: string, icon: string): object => ({
  name: key,
  description: 'Shows the time.',
  blockStyle: { iconUrl: `${BASE}apps/${key}/${icon}`, color: '#336699' },
  appMetadataUrl: `${BASE}apps/${key}/versions.json`,
});
const svg = (width: number): string => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="8"/>`;

let root: string;
beforeAll(() => {
  root = folder();
  write(root, {
    'before/appreg.config.json': { baseUrl: BASE },
    'before/registry.json': { apps: { clock: entryOf('clock', 'icon.svg'), lamp: entryOf('lamp', 'icon.png') } },
    'before/apps/clock/versions.json': { versions: [] },
    'before/apps/lamp/versions.json': { versions: [] },
    'before/apps/clock/icon.svg': svg(8),
    'before/apps/lamp/icon.png': PNG,
  });
  git(join(root, 'before'), 'init', '--quiet');
  commitAll(join(root, 'before'));
  cpSync(join(root, 'before'), join(root, 'after'), { recursive: true });
  write(root, { 'after/apps/clock/icon.svg': svg(16), 'after/apps/lamp/icon.png': Buffer.concat([PNG, PNG]) });
});

async function fieldsIn(cwd: string, before: string, after: string): Promise<unknown> {
  const context = contextIn(cwd, { format: 'json' });
  expect(await runDiff(context, before, after, { format: 'json' })).toBe(0);
  const { apps } = JSON.parse(context.printed.out.join('\n')) as { apps: { key: string; fields: unknown }[] };
  return apps.map(({ key, fields }) => [key, fields]);
}

const checksumOf = (file: string): string => `sha256:${sha256Of(readFileSync(join(root, file)))}`;
const changed = () =>
  ['clock/icon.svg', 'lamp/icon.png'].map((path) => [
    path.split('/')[0],
    [{ name: 'icon', before: checksumOf(`before/apps/${path}`), after: checksumOf(`after/apps/${path}`) }],
  ]);

test('between two folders', async () => {
  expect(await fieldsIn(root, 'before', 'after')).toEqual(changed());
  expect(await fieldsIn(root, 'before', 'before')).toEqual([]);
});

test('between a git ref and a folder', async () => {
  expect(await fieldsIn(join(root, 'after'), 'HEAD', '.')).toEqual(changed());
  expect(await fieldsIn(join(root, 'before'), 'HEAD', '.')).toEqual([]);
});

test('between a git ref with a pointer to Git LFS and a folder with the file', async () => {
  const at = join(root, 'lfs');
  cpSync(join(root, 'before'), at, { recursive: true });
  const pointer = (file: string): string =>
    `version https://git-lfs.github.com/spec/v1\noid ${checksumOf(file)}\nsize 8\n`;
  write(at, {
    'apps/clock/icon.svg': pointer('before/apps/clock/icon.svg'),
    'apps/lamp/icon.png': pointer('after/apps/lamp/icon.png'),
  });
  commitAll(at);
  cpSync(join(root, 'before/apps'), join(at, 'apps'), { recursive: true });
  const [before, after] = [checksumOf('after/apps/lamp/icon.png'), checksumOf('before/apps/lamp/icon.png')];
  expect(await fieldsIn(at, 'HEAD', '.')).toEqual([['lamp', [{ name: 'icon', before, after }]]]);
});

describe('between two URLs', () => {
  let host: FaultHost;
  beforeAll(async () => void (host = await openFaultHost()));
  afterAll(() => host.close());

  /** What differs from an icon that is sent as it is, if the host sends this body with these headers. */
  async function fieldsFor(body: string | Buffer, headers: Record<string, string>): Promise<unknown> {
    const { url, serve } = putRegistry(host);
    const facts = join(root, 'plain.json');
    const context = contextIn(root);
    await runVerify(context, url, { save: facts });
    serve(
      'a.svg',
      byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS, ...headers }, body }) }),
    );
    return fieldsIn(root, facts, url);
  }

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('the decoded bytes of an icon with the Content-Encoding %s', async (coding, compress) => {
    const headers = { 'Content-Encoding': coding };
    expect(await fieldsFor(compress(SVG), headers)).toEqual([]);
    const before = `sha256:${sha256Of(Buffer.from(SVG))}`;
    const after = `sha256:${sha256Of(Buffer.from(svg(16)))}`;
    expect(await fieldsFor(compress(svg(16)), headers)).toEqual([['app-a', [{ name: 'icon', before, after }]]]);
  });

  test('not of a page in place of the icon, which differs in each response', async () => {
    expect(await fieldsFor('<!doctype html><p>Not found. Request 71c4', { 'Content-Type': 'text/html' })).toEqual([]);
  });

  test('the bytes as sent of an icon with an unknown Content-Encoding', async () => {
    expect(await fieldsFor(SVG, { 'Content-Encoding': 'aws-chunked' })).toEqual([]);
  });
});

test('not of an icon that one of the states does not have', async () => {
  cpSync(join(root, 'before'), join(root, 'without'), { recursive: true });
  write(root, { 'without/registry.json': { apps: { clock: entryOf('clock', 'other.svg') } } });
  const fields = [{ name: 'iconUrl', before: `${BASE}apps/clock/other.svg`, after: `${BASE}apps/clock/icon.svg` }];
  expect(await fieldsIn(root, 'without', 'after')).toContainEqual(['clock', fields]);
});

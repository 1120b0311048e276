import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runSite } from '../../src/cli/commands/site.ts';
import { mediaTypeOf } from '../../src/core/registry/media.ts';
import { signedBy, statementOf, vendorKeys } from '../support/attest.ts';
import type { Printed } from '../support/cli-context.ts';
import { folder, write } from '../support/folders.ts';
import { archive, checksum } from '../support/live-registry.ts';
import { contextIn } from './author-support.ts';

/** A registry in a workspace and at its URL has the same site. */

const { privateKey, publicKey } = vendorKeys();
const BYTES = { '1.0.0': archive('export const version = 1;'), '1.1.0': archive('export const version = 2;') };
type Version = keyof typeof BYTES;
const SETTINGS = { evidence: { attestations: { key: 'vendor.pub' } } };

let root: string;
let server: Server;
let base: string;
/** Responses in place of files, by path. */
let failing: Map<string, number>;
let requested: string[];

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    requested.push(path);
    const file = join(root, path);
    const status = failing.get(path) ?? (existsSync(file) && statSync(file).isFile() ? 200 : 404);
    response.writeHead(status, { 'Content-Type': mediaTypeOf(path) });
    response.end(status === 200 ? readFileSync(file) : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => server.close());

const pathOf = (key: string, version: string): string => `apps/${key}/versions/${version}.tar.gz`;
const bundle = (key: string, version: Version): Promise<Uint8Array> =>
  signedBy(privateKey, statementOf({ key, version }, BYTES[version]));

beforeEach(async () => {
  failing = new Map();
  requested = [];
  const entry = (key: string): object => ({
    name: key,
    description: 'An app.',
    blockStyle: { iconUrl: `${base}apps/${key}/icon.svg`, color: '#336699' },
    appMetadataUrl: `${base}apps/${key}/versions.json`,
  });
  const versions = (key: string): object => ({
    versions: Object.entries(BYTES).map(([version, bytes]) => ({
      version,
      artifactUrl: `${base}${pathOf(key, version)}`,
      artifactChecksum: checksum(bytes),
    })),
  });
  root = folder({
    'appreg.config.json': { baseUrl: base, ...SETTINGS },
    'vendor.pub': publicKey,
    'registry.json': { apps: { clock: entry('clock'), lamp: entry('lamp'), radio: entry('radio') } },
    'apps/clock/versions.json': versions('clock'),
    'apps/clock/versions.about.json': {
      schema: 1,
      app: { homepage: 'https://acme.example/clock', licence: 'MIT' },
      versions: {
        '1.1.0': { published: '2026-11-20T10:00:00Z', notes: '- **New** dial' },
        '1.0.0': { deprecated: { reason: 'security', message: 'It leaks.', use: '1.1.0', since: '2026-11-21' } },
      },
    },
    [`${pathOf('clock', '1.0.0')}.sigstore.json`]: await bundle('clock', '1.0.0'),
    [`${pathOf('clock', '1.1.0')}.sigstore.json`]: await bundle('clock', '1.1.0'),
    'apps/lamp/versions.json': versions('lamp'),
    'apps/lamp/versions.about.json': '{ "schema": 1, "versions": [] }',
    'apps/radio/versions.json': versions('radio'),
    // Of another app: it proves nothing.
    [`${pathOf('radio', '1.1.0')}.sigstore.json`]: await bundle('clock', '1.1.0'),
  });
});

/** @returns the files of the site by path, and what was printed */
async function made(cwd: string, from?: string): Promise<{ files: Record<string, string>; printed: Printed }> {
  const context = contextIn(cwd, { format: 'json' });
  const out = folder();
  expect(await runSite(context, out, { ...(from !== undefined && { from }), baseUrl: `${base}site/` })).toBe(0);
  const paths = readdirSync(out, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  const files = paths.filter((path) => statSync(join(out, path)).isFile());
  return {
    files: Object.fromEntries(files.sort().map((path) => [path, readFileSync(join(out, path), 'utf8')])),
    printed: context.printed,
  };
}

/** Another machine, with the key of the vendor. */
const elsewhere = (): string => folder({ 'appreg.config.json': SETTINGS, 'vendor.pub': publicKey });
const live = (): ReturnType<typeof made> => made(elsewhere(), `${base}registry.json`);

describe('from a URL', () => {
  test('the site is that of the workspace, file by file', async () => {
    const [local, remote] = [await made(root), await live()];
    expect(remote.files).toEqual(local.files);
    expect(Object.keys(remote.files)).toContain('feed.xml');
    const page = remote.files['apps/clock.html'] ?? '';
    for (const shown of [
      '<strong>New</strong> dial',
      'https://acme.example/clock',
      'because it has a security problem',
    ])
      expect(page).toContain(shown);
    expect(page.match(/<dt>Key<\/dt>/g)).toHaveLength(2);
    for (const key of ['lamp', 'radio']) expect(remote.files[`apps/${key}.html`]).not.toContain('<dt>Key</dt>');
    expect(JSON.parse(remote.printed.out.join(''))).toMatchObject({ unread: [{ key: 'lamp', why: 'about-invalid' }] });
    expect(remote.printed.log.join('\n')).toContain('lamp, since its about file is not valid');
  });

  test('no artifact is requested, and the attestations of lower versions only if the highest one has one', async () => {
    await live();
    expect(requested.filter((path) => path.endsWith('.tar.gz'))).toEqual([]);
    const attestations = requested.filter((path) => path.endsWith('.sigstore.json'));
    const of = (key: string): string[] => attestations.filter((path) => path.includes(`/${key}/`)).sort();
    expect(new Set(of('clock')).size).toBe(2);
    expect([...new Set(of('lamp'))]).toEqual([`/${pathOf('lamp', '1.1.0')}.sigstore.json`]);
  });

  test('without that of the highest version, no attestation is shown, unlike from the workspace', async () => {
    const missing = `/${pathOf('clock', '1.1.0')}.sigstore.json`;
    failing.set(missing, 404);
    const { files } = await live();
    expect(files['apps/clock.html']).not.toContain('<dt>Key</dt>');
    failing.set(missing, 500);
    expect((await live()).files['apps/clock.html']?.match(/<dt>Key<\/dt>/g)).toHaveLength(1);
  });

  test('an about file that the host does not return is named, and the app is shown', async () => {
    failing.set('/apps/clock/versions.about.json', 500);
    const { files, printed } = await live();
    expect(files['apps/clock.html']).not.toContain('dial');
    expect(printed.log.join('\n')).toContain('clock, since the host did not return its about file');
    expect(JSON.parse(printed.out.join(''))).toMatchObject({
      apps: 3,
      unread: [
        { key: 'clock', why: 'about-unknown' },
        { key: 'lamp', why: 'about-invalid' },
      ],
    });
  });
});

test('without the key of the vendor, nothing is said about who built a version', async () => {
  const { files } = await made(folder(), `${base}registry.json`);
  expect(files['apps/clock.html']).not.toContain('<dt>Key</dt>');
});

test('a folder in place of an attestation is nothing', async () => {
  write(root, { [`${pathOf('lamp', '1.1.0')}.sigstore.json/file`]: 'x' });
  expect((await made(root)).files['apps/lamp.html']).not.toContain('<dt>Key</dt>');
});

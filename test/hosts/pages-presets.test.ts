import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PRESETS } from '../../src/author/host-files.ts';
import type { Hosted } from '../../src/author/host-guides.ts';
import { mediaTypeOf } from '../../src/core/registry/media.ts';
import { certificates } from '../support/fault-certificates.ts';
import { folder, errorOf } from '../support/folders.ts';
import { headersFor, readHeadersFile } from '../support/headers-file.ts';
import { faults, ORIGIN, verified } from '../support/live-registry.ts';
import { forAllResources, putSite } from './site.ts';

/** The files of `init --host netlify` and `--host cloudflare-pages`, on a host that applies `_headers`. */

const hosted: Hosted = {
  baseUrl: 'https://apps.example.com/',
  manifest: 'registry.json',
  serviceOrigins: [],
  store: { type: 'git', branch: 'registry' },
};

function fileOf(host: 'netlify' | 'cloudflare-pages', name: string, given: Partial<Hosted> = {}): string {
  const file = PRESETS[host].files({ ...hosted, ...given }).find(({ path }) => path === name)!;
  expect(file.served).toBe(true);
  return file.text;
}

/** Serves a registry with these headers, and looks at it. */
async function faultsWith(headers: string, origins: string[]): Promise<string[]> {
  const rules = readHeadersFile(headers);
  const root = folder();
  const { key, cert } = certificates().get('good');
  const server = createServer({ key, cert }, (request, answer) => {
    const path = new URL(request.url!, 'https://x').pathname;
    const there = existsSync(join(root, path));
    const bytes = there && request.method !== 'OPTIONS' ? readFileSync(join(root, path)) : Buffer.alloc(0);
    answer.writeHead(there ? 200 : 404, {
      'Content-Type': mediaTypeOf(path),
      'Content-Length': bytes.length,
      ...headersFor(rules, path),
    });
    answer.end(request.method === 'HEAD' ? undefined : bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  putSite(root, origin);
  try {
    return faults((await verified(`${origin}/registry.json`, { origins })).report).sort();
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe.each(['netlify', 'cloudflare-pages'] as const)('_headers of %s', (host) => {
  test.each<{ name: string; serviceOrigins: string[]; requested: string[] }>([
    { name: 'any origin', serviceOrigins: [], requested: [] },
    { name: 'any origin, requested with one', serviceOrigins: [], requested: [ORIGIN] },
    { name: 'one origin', serviceOrigins: [ORIGIN], requested: [ORIGIN] },
    {
      name: 'several origins',
      serviceOrigins: [ORIGIN, 'https://other.test'],
      requested: [ORIGIN, 'https://other.test'],
    },
  ])('have no findings with $name', async ({ serviceOrigins, requested }) => {
    expect(await faultsWith(fileOf(host, '_headers', { serviceOrigins }), requested)).toEqual([]);
  });

  test.each<{ name: string; change: (text: string) => string; expected: string[] }>([
    {
      name: 'the origin is left out',
      change: (text) => text.replace(/.*Allow-Origin.*\n/, ''),
      expected: forAllResources('error cors-missing absent').filter((one) => !one.includes('artifact')),
    },
    {
      name: 'a second rule names an origin as well',
      change: (text) => `${text}/*\n  Access-Control-Allow-Origin: *\n`,
      expected: forAllResources('error cors-invalid list'),
    },
  ])('have findings if $name', async ({ change, expected }) => {
    expect(await faultsWith(change(fileOf(host, '_headers')), [ORIGIN])).toEqual(expected.sort());
  });

  test('set the lifetime of each kind of file', () => {
    const rules = readHeadersFile(fileOf(host, '_headers', { manifest: 'all-apps.json' }));
    const lifetime = (path: string): string | undefined => headersFor(rules, path)['Cache-Control'];
    expect(lifetime('/all-apps.json')).toBe('public, max-age=300');
    for (const name of ['versions.json', 'versions.about.json'])
      expect(lifetime(`/apps/clock/${name}`)).toBe('public, max-age=300');
    expect(lifetime('/apps/clock/icon.svg')).toBe('public, max-age=3600');
    expect(lifetime('/apps/clock/icon.png')).toBe('public, max-age=3600');
    expect(lifetime('/apps/clock/versions/1.0.0.tar.gz')).toBe('public, max-age=31536000, immutable');
    for (const suffix of ['sigstore', 'cdx'])
      expect(lifetime(`/apps/clock/versions/1.0.0.tar.gz.${suffix}.json`)).toBe('public, max-age=31536000, immutable');
    expect(lifetime('/missing.html')).toBeUndefined();
  });

  test('are rejected for a base URL with a path', () => {
    const baseUrl = 'https://apps.example.com/r/';
    expect(errorOf(() => fileOf(host, '_headers', { baseUrl }))).toMatchObject({
      code: 'base-url-unsupported',
      exit: 2,
    });
  });

  test('are explained in a guide with the branch and the command for verification', () => {
    const guide = PRESETS[host].files(hosted).find(({ path }) => path === 'host/README.md')!.text;
    expect(guide).toContain('`registry`');
    expect(guide).toContain('appreg verify https://apps.example.com/registry.json');
    expect(guide).toContain('appreg site pages/site --base-url https://apps.example.com/site/');
  });
});

test('the preset for Cloudflare Pages contains a page for status 404', () => {
  expect(fileOf('cloudflare-pages', '404.html')).toMatch(/^<!doctype html>/);
});

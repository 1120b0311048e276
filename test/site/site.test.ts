import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { appPaths, isSitePath, referenceTo } from '../../src/site/paths.ts';
import { tempName } from '../../src/store/directory/owner.ts';
import { folder } from '../support/folders.ts';
import { judge } from '../../src/core/engine/judge.ts';
import { folderTree } from '../../src/observe/workspace/documents.ts';
import { snapshotOfTree } from '../../src/observe/workspace/tree-snapshot.ts';
import { BASE, DIGEST, registryWith, SITE, siteOf, write } from './site-fixture.ts';

const read = (out: string, path: string): string => readFileSync(join(out, path), 'utf8');
/** All files, with the time of their last change. */
function filesIn(out: string): Map<string, number> {
  const names = readdirSync(out, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  return new Map(names.sort().map((name) => [name, statSync(join(out, name)).mtimeMs]));
}

describe('the paths of an app', () => {
  test.each([
    ['clock', 'apps/clock.html'],
    ['feedWatch', 'apps/feed~watch.html'],
    ['AWS', 'apps/~a~w~s.html'],
    ['con', 'apps/con~.html'],
    ['COM1', 'apps/~c~o~m1.html'],
    ['_a-b', 'apps/_a-b.html'],
  ])('%s is %s', (key, path) => {
    expect(appPaths(key).page).toBe(path);
    expect(isSitePath(path)).toBe(true);
  });

  test('a long key has a path of its own', () => {
    const [one, two] = [appPaths('a'.repeat(400)).page, appPaths('a'.repeat(401)).page];
    expect(one).not.toBe(two);
    expect(one.length).toBeLessThan(200);
    expect([one, two].every(isSitePath)).toBe(true);
  });

  test.each(['../a.html', 'apps/../../a.html', '/etc/passwd', 'apps/a.sh', 'C:\\a.html', 'assets/../x', ''])(
    '%j is not a path of a site',
    (path) => expect(isSitePath(path)).toBe(false),
  );
});

test.each([
  ['https://a.example/apps/c/icon.svg', 'https://a.example/site/apps/c.html', '../../apps/c/icon.svg'],
  ['https://a.example/site/icon.svg?v=1', 'https://a.example/site/index.html', './icon.svg?v=1'],
  ['https://a.example/a:b.svg', 'https://a.example/index.html', './a:b.svg'],
  ['https://b.example/icon.svg', 'https://a.example/index.html', 'https://b.example/icon.svg'],
])('%s from %s is %s', (url, from, reference) => {
  expect(referenceTo(new URL(url), new URL(from))).toBe(reference);
  expect(new URL(reference, from).href).toBe(url);
});

/** An element of `versions`. */
const listing = (more: object): object => ({
  version: '1.0.0',
  artifactUrl: `${BASE}a.tar.gz`,
  artifactChecksum: DIGEST,
  ...more,
});

describe('a site', () => {
  const ABOUT = {
    schema: 1,
    app: { homepage: 'https://acme.example/clock', licence: 'MIT', support: 'mailto:help@acme.example' },
    versions: {
      '1.10.0': { published: '2026-11-20T10:00:00Z', notes: '- **New** dial' },
      '1.9.0': {
        published: '2026-10-01T10:00:00Z',
        deprecated: { reason: 'broken', message: 'It stops.', use: '1.10.0', since: '2026-11-21' },
      },
    },
  };

  test('lists the apps by name, with the latest version of each', async () => {
    const root = registryWith({
      zoo: { name: 'aardvark' },
      clock: { name: 'Clock', versions: ['1.9.0', '1.10.0', '2.0.0-rc.1', 'nonsense'], about: ABOUT },
    });
    const out = folder();
    const result = await siteOf(root, out);
    expect(result).toMatchObject({ apps: 2, hidden: [], removed: [], changed: [], unchanged: 0 });
    const list = read(out, 'index.html');
    expect([...list.matchAll(/<a href="(apps\/[^"]+)"/g)].map(([, href]) => href)).toEqual([
      'apps/zoo.html',
      'apps/clock.html',
    ]);
    expect(list).toContain('>1.10.0</code>');
    const page = read(out, 'apps/clock.html');
    expect([...page.matchAll(/<h3 class="version"><code dir="ltr">([^<]+)/g)].map(([, version]) => version)).toEqual([
      '2.0.0-rc.1',
      '1.10.0',
      '1.9.0',
    ]);
    expect(page).toContain('<strong>New</strong> dial');
    expect(page).toContain(DIGEST);
    expect(page).toContain(
      'The author retired this version on 2026-11-21 because it does not work: It stops. Use 1.10.0 instead.',
    );
    expect(page).toContain('href="mailto:help@acme.example"');
    expect(JSON.parse(read(out, 'apps/clock.badge.json'))).toEqual({
      schemaVersion: 1,
      label: 'Clock',
      message: 'v1.10.0',
      color: 'blue',
    });
  });

  test('leaves out what subscribers cannot see, and says why', async () => {
    const root = registryWith({
      good: {},
      'a/b': {},
      '..': {},
      empty: { versions: [] },
      digest: {
        versions: [{ version: '1.0.0', artifactUrl: 'https://a.example/a.tar.gz', artifactChecksum: 'sha1:a' }],
      },
      gone: {},
    });
    rmSync(join(root, 'apps/5/versions.json'));
    const { apps, hidden } = await siteOf(root, folder());
    expect(apps).toBe(1);
    expect(Object.fromEntries(hidden.map(({ key, why }) => [key, why]))).toEqual({
      'a/b': 'key-not-safe',
      '..': 'key-not-safe',
      empty: 'no-valid-versions',
      digest: 'no-valid-versions',
      gone: 'metadata-unreadable',
    });
  });

  test('leaves out what a report says that subscribers do not see', async () => {
    const other = DIGEST.replace('0', '1');
    const root = registryWith({
      good: {},
      uncolored: { color: null },
      relative: { versions: [listing({ artifactUrl: 'a.tar.gz' })] },
      blocked: { versions: [listing({ artifactUrl: 'https://a.example:6000/a.tar.gz' })] },
      twice: { versions: [listing({}), listing({ artifactChecksum: other })] },
      half: { versions: [listing({}), listing({ version: '2.0.0', artifactUrl: 'a.tar.gz' })] },
    });
    const out = folder();
    const { hidden } = await siteOf(root, out);
    const snapshot = snapshotOfTree(folderTree(root, root), 'registry.json', [BASE], '2026-11-25T12:00:00.000Z');
    const verdicts = judge(snapshot, { command: 'lint' }).apps;
    expect(hidden.map(({ key }) => key).sort()).toEqual(
      verdicts.flatMap(({ key, visible }) => (visible === false ? [key] : [])),
    );
    expect(hidden).toEqual([
      { key: 'uncolored', why: 'entry-invalid' },
      { key: 'relative', why: 'no-valid-versions' },
      { key: 'blocked', why: 'no-valid-versions' },
      { key: 'twice', why: 'no-valid-versions' },
    ]);
    expect(read(out, 'apps/half.html')).not.toContain('2.0.0');
  });

  test('shows an app whose about file is broken', async () => {
    const out = folder();
    const { apps, unread } = await siteOf(registryWith({ clock: { about: '{ "schema": 2 }' } }), out);
    expect(apps).toBe(1);
    expect(unread).toEqual([{ key: 'clock', why: 'about-invalid' }]);
    expect(existsSync(join(out, 'feed.xml'))).toBe(false);
  });

  test('keys that differ in case alone have pages of their own', async () => {
    const out = folder();
    await siteOf(registryWith({ clock: {}, Clock: {}, CLOCK: {} }), out);
    const pages = readdirSync(join(out, 'apps')).filter((name) => name.endsWith('.html'));
    expect(new Set(pages.map((name) => name.toLowerCase())).size).toBe(3);
  });

  test('a second run writes nothing, and a change writes only what changed', async () => {
    const [apps, out] = [{ clock: { about: ABOUT, versions: ['1.9.0', '1.10.0'] }, lamp: {} }, folder()];
    const root = registryWith(apps);
    await siteOf(root, out);
    const before = filesIn(out);
    const again = await siteOf(root, out);
    expect(again).toMatchObject({ created: [], changed: [], removed: [] });
    expect(filesIn(out)).toEqual(before);
    registryWith({ ...apps, lamp: { description: 'Shines.' } }, root);
    expect((await siteOf(root, out, { isWriting: false })).changed).toEqual(['apps/lamp.html', 'index.html']);
    expect(filesIn(out)).toEqual(before);
    expect((await siteOf(root, out)).changed).toEqual(['apps/lamp.html', 'index.html']);
    expect(filesIn(out).get('apps/clock.html')).toBe(before.get('apps/clock.html'));
  });

  test('removes the pages of removed apps, and nothing else', async () => {
    const out = folder();
    await siteOf(registryWith({ clock: {}, lamp: {} }), out);
    write(out, 'apps/own.html', 'mine');
    write(out, 'CNAME', 'apps.example.com');
    const { removed } = await siteOf(registryWith({ clock: {} }), out);
    expect(removed).toEqual(['apps/lamp.badge.json', 'apps/lamp.html']);
    expect(existsSync(join(out, 'apps/lamp.html'))).toBe(false);
    expect(read(out, 'apps/own.html')).toBe('mine');
    expect(read(out, 'CNAME')).toBe('apps.example.com');
  });

  test('a list of files that was changed deletes nothing outside of the site', async () => {
    const parent = folder();
    const [out, victim] = [join(parent, 'out'), join(parent, 'victim.html')];
    await siteOf(registryWith({ clock: {} }), out);
    writeFileSync(victim, 'kept');
    writeFileSync(
      join(out, 'appreg-site.json'),
      JSON.stringify({
        schema: 1,
        files: [
          '../victim.html',
          victim,
          7,
          'index.html',
          ...readdirSync(join(out, 'apps')).map((name) => `apps/${name}`),
          'assets/site.css',
          'assets/site.js',
          'assets/site.svg',
        ],
      }),
    );
    expect((await siteOf(registryWith({ clock: {} }), out)).removed).toEqual([]);
    expect(readFileSync(victim, 'utf8')).toBe('kept');
  });

  test.each<[string, (out: string) => void]>([
    ['a folder with other files', (out) => write(out, 'photo.jpg', 'x')],
    ['a list that is not one', (out) => write(out, 'appreg-site.json', '[]')],
    ['a list that is not JSON', (out) => write(out, 'appreg-site.json', '{')],
    [
      'a page of others',
      (out) => {
        write(out, 'appreg-site.json', '{"schema":1,"files":[]}');
        write(out, 'index.html', 'mine');
      },
    ],
    ['a link in place of a folder', (out) => symlinkSync(folder(), join(out, 'apps'))],
  ])('%s is refused before anything is written', async (_, prepare) => {
    const out = folder();
    prepare(out);
    const before = filesIn(out);
    await expect(siteOf(registryWith({ clock: {} }), out)).rejects.toMatchObject({ code: 'site-folder-occupied' });
    expect(filesIn(out)).toEqual(before);
  });

  test('what a killed run has left is removed, and what another run is writing is not', async () => {
    const out = folder();
    const registry = registryWith({ clock: {} });
    await siteOf(registry, out);
    const before = [...filesIn(out).keys()];
    const own = tempName('site');
    // No process has this number.
    const left = ['', 'apps/', 'assets/'].map((place) => `${place}${own.replace(`-${process.pid}-`, '-999999999-')}`);
    for (const name of [own, ...left]) writeFileSync(join(out, name), '<html>');
    await siteOf(registry, out);
    expect([...filesIn(out).keys()]).toEqual([...before, own].toSorted());
  });

  test('a file that cannot be written is named as one that is written, with its folder', async () => {
    const out = join(folder(), 'out');
    symlinkSync(join(out, '../missing/folder'), out);
    await expect(siteOf(registryWith({ clock: {} }), out)).rejects.toMatchObject({
      message: expect.stringMatching(/^Cannot write site.appreg-site\.json: /),
      hint: expect.stringContaining(`Its folder is ${out}`),
    });
  });

  test('an icon is requested from the host of the registry, and from no other that the policy does not name', async () => {
    const out = folder();
    const root = registryWith({
      own: {},
      other: { iconUrl: 'https://cdn.example.com/i.png' },
      script: { iconUrl: 'javascript:alert(1)' },
      data: { iconUrl: 'data:image/svg+xml,<svg/>' },
      plain: { iconUrl: 'http://cdn.example.com/i.png' },
      secret: { iconUrl: 'https://user:pass@cdn.example.com/i.png' },
      policy: { iconUrl: 'https://a;script-src.example/i.png' },
    });
    await siteOf(root, out);
    const list = read(out, 'index.html');
    expect([...list.matchAll(/<img src="([^"]+)"/g)].map(([, src]) => src).sort()).toEqual([
      '../apps/0/icon.svg',
      'https://cdn.example.com/i.png',
    ]);
    expect(list).toContain('img-src &#39;self&#39; https://cdn.example.com;');
    expect(read(out, 'apps/own.html')).toContain('<img src="../../apps/0/icon.svg"');
  });

  test('shows secrets nowhere', async () => {
    const out = folder();
    const secret = 's3cr3tValue0123456789abcdef';
    const url = `https://apps.example.com/registry.json?token=${secret}`;
    const root = registryWith({
      clock: {
        description: `See https://user:${secret}@example.com/`,
        versions: [
          {
            version: '1.0.0',
            artifactUrl: `https://a.example/a.tar.gz?X-Amz-Signature=${secret}&X-Amz-Date=20260101T000000Z`,
            artifactChecksum: DIGEST,
          },
        ],
        about: { schema: 1, versions: { '1.0.0': { published: '2026-01-01T00:00:00Z' } } },
      },
    });
    await siteOf(root, out, { site: { ...SITE, url } });
    for (const path of filesIn(out).keys())
      if (statSync(join(out, path)).isFile()) expect([path, read(out, path).includes(secret)]).toEqual([path, false]);
  });
});

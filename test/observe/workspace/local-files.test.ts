import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startJudging } from '../../../src/core/engine/judge.ts';
import type { Report } from '../../../src/core/findings/report.ts';
import { observe } from '../../../src/observe/registry/observe.ts';
import { observeWorkspace } from '../../../src/observe/workspace/observe-workspace.ts';
import { NOW } from '../../support/core-facts.ts';
import { folder } from '../../support/folders.ts';
import { BASE, entry } from '../../support/snapshots.ts';
import { endMark, entry as tarEntry } from '../../support/tar-builder.ts';
import { startTestServer } from '../../serve/support.ts';

/** Artifacts and icons of a workspace at whose path is no file that a host could serve. */

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>';
const archiveOf = (text: string): Buffer => gzipSync(Buffer.concat([tarEntry('app.js', text), endMark()]));
const ARTIFACTS = ['one', 'two'].map(archiveOf);

const versionsOf = (...urls: string[]): object => ({
  versions: urls.map((artifactUrl, i) => ({
    version: `${i + 1}.0.0`,
    artifactUrl,
    artifactChecksum: `sha256:${createHash('sha256')
      .update(ARTIFACTS[i] ?? '')
      .digest('hex')}`,
  })),
});
const withIcon = (key: string, iconUrl: string): object => entry(key, { blockStyle: { iconUrl, color: '#112233' } });

async function lint(root: string, baseUrl: string | null = BASE): Promise<Report> {
  const judging = startJudging({ command: 'lint', target: '.', now: NOW });
  await observeWorkspace({ root, manifest: 'registry.json', baseUrl }, judging, { nameOf: (path) => path });
  return judging.finish(0);
}
const errorsIn = (report: Report): string[] =>
  report.findings
    .filter(({ severity }) => severity === 'error')
    .map(({ rule, cause, app, version, resource }) => `${rule} ${cause} ${app} ${version ?? resource}`);
const places = (report: Report, rules: RegExp): string[] =>
  report.findings
    .filter(({ rule, severity }) => rules.test(rule) && severity === 'error')
    .map(({ app, version, resource }) => `${app} ${resource} ${version}`)
    .toSorted();
const elsewhere = (report: Report, resource: string): number =>
  report.notJudged.filter(
    ({ code, rule, resource: kind }) =>
      code === 'not-in-workspace' && kind === resource && /checksum-mismatch|not-image/.test(rule),
  ).length;

const artifactsAt = (...urls: string[]): Record<string, unknown> => ({
  'registry.json': { apps: { a: entry('a') } },
  'apps/a/versions.json': versionsOf(...urls),
});
const iconsAt = (...icons: string[]): Record<string, unknown> =>
  Object.assign(
    { 'registry.json': { apps: Object.fromEntries(icons.map((icon, i) => [`k${i}`, withIcon(`k${i}`, icon)])) } },
    ...icons.map((_, i) => ({ [`apps/k${i}/versions.json`]: versionsOf('https://cdn.example.net/1.tar.gz') })),
  ) as Record<string, unknown>;

describe('a missing artifact', () => {
  const [first, second] = [`${BASE}apps/a/1.tar.gz`, `${BASE}apps/a/2.tar.gz`];

  test('is an error at its URL if another artifact of the app is there', async () => {
    const report = await lint(folder({ ...artifactsAt(first, second), 'apps/a/1.tar.gz': ARTIFACTS[0] }));
    expect(report.findings).toEqual([
      expect.objectContaining({
        rule: 'file-missing',
        cause: 'missing',
        severity: 'error',
        symptom: 'checksum-mismatch',
        resource: 'artifact',
        version: '2.0.0',
        file: 'apps/a/versions.json',
        pointer: '/versions/1/artifactUrl',
        url: second,
        message: 'The artifact apps/a/2.tar.gz does not exist.',
        evidence: { file: 'apps/a/2.tar.gz' },
      }),
    ]);
    expect(report.findings[0]!.line).toBeGreaterThan(1);
    // The version is not offered, as in the check of the live registry.
    expect(report.apps).toMatchObject([{ key: 'a', visible: true, latest: '1.0.0' }]);
  });

  test('is an error also if its folder is missing', async () => {
    const other = `${BASE}old/a/2.tar.gz`;
    const report = await lint(folder({ ...artifactsAt(first, other), 'apps/a/1.tar.gz': ARTIFACTS[0] }));
    expect(errorsIn(report)).toEqual(['file-missing missing a 2.0.0']);
  });

  test('may be elsewhere if no artifact of the app is there', async () => {
    const report = await lint(
      folder({
        'registry.json': { apps: { a: entry('a'), b: entry('b') } },
        'apps/a/versions.json': versionsOf(first, second),
        'apps/b/versions.json': versionsOf(`${BASE}apps/b/1.tar.gz`),
        'apps/b/1.tar.gz': ARTIFACTS[0],
      }),
    );
    expect(errorsIn(report)).toEqual([]);
    expect(elsewhere(report, 'artifact')).toBe(2);
  });

  test('is elsewhere if its URL is not below the base URL', async () => {
    const report = await lint(
      folder({ ...artifactsAt(first, 'https://cdn.example.net/a/2.tar.gz'), 'apps/a/1.tar.gz': ARTIFACTS[0] }),
    );
    expect(errorsIn(report)).toEqual([]);
    expect(elsewhere(report, 'artifact')).toBe(1);
  });
});

describe('a missing icon', () => {
  test('is an error at its URL if an icon is there, of an earlier or a later app', async () => {
    const urls = ['one', 'two', 'three'].map((name) => `${BASE}icons/${name}.svg`);
    const report = await lint(folder({ ...iconsAt(...urls), 'icons/two.svg': SVG }));
    expect(report.findings.filter(({ rule }) => rule === 'file-missing')).toEqual([
      expect.objectContaining({
        app: 'k0',
        resource: 'icon',
        symptom: 'icon-does-not-display',
        file: 'registry.json',
        pointer: '/apps/k0/blockStyle/iconUrl',
        message: 'The icon icons/one.svg does not exist.',
      }),
      expect.objectContaining({ app: 'k2', message: 'The icon icons/three.svg does not exist.' }),
    ]);
    expect(report.apps.map(({ visible }) => visible)).toEqual([null, null, null]);
  });

  test('may be elsewhere if no icon is there', async () => {
    const report = await lint(folder(iconsAt(`${BASE}icons/one.svg`, `${BASE}icons/two.svg`)));
    expect(errorsIn(report)).toEqual([]);
    expect(elsewhere(report, 'icon')).toBe(2);
  });

  test('of several apps is one error', async () => {
    const shared = `${BASE}shared.svg`;
    const report = await lint(folder({ ...iconsAt(shared, `${BASE}a.svg`, shared), 'a.svg': SVG }));
    expect(errorsIn(report)).toEqual(['file-missing missing k0 icon']);
    expect(report.findings.find(({ rule }) => rule === 'file-missing')!.evidence).toMatchObject({ alsoApps: ['k2'] });
  });

  /** Which file a URL refers to: the one that is there, one that is missing, or none of the workspace. */
  test.each<[url: string, base: string, state: 'there' | 'missing' | 'elsewhere' | 'malformed']>([
    ['https://a.example/reg/icons/a b.svg', 'https://a.example/reg/', 'there'],
    ['https://a.example/reg/icons/a%20b.svg', 'https://a.example/reg', 'there'],
    ['https://a.example/reg/icons/%61%20b.svg', 'https://a.example/reg/', 'there'],
    ['https://a.example/reg/icons%2Fa%20b.svg', 'https://a.example/reg/', 'there'],
    ['https://a.example/reg/icons/a%20b.svg?v=2', 'https://a.example/reg/', 'there'],
    ['https://a.example/reg/icons/a%20b.svg#dark', 'https://a.example/reg/', 'there'],
    ['https://A.Example:443/reg/icons/a%20b.svg', 'https://a.example/reg/', 'there'],
    ['https://a.example/reg/icons/a%20b.svg', 'HTTPS://A.example:443/reg', 'there'],
    ['https://a.example:8443/icons/a%20b.svg', 'https://a.example:8443', 'there'],
    ['http://a.example:80/icons/a%20b.svg', 'http://a.example', 'there'],

    ['https://a.example/reg/icons/a%2520b.svg', 'https://a.example/reg/', 'missing'],
    ['https://a.example/reg/icons/c.svg', 'https://a.example/reg', 'missing'],
    ['https://a.example/reg/icons/c.svg?a%20b.svg', 'https://a.example/reg/', 'missing'],
    ['https://a.example/reg/none/c.svg#x', 'https://a.example/reg/', 'missing'],
    ['https://A.example:443/reg/c.svg', 'https://a.example/reg/', 'missing'],
    ['https://a.example/reg/icons/a%20b.svg/c.svg', 'https://a.example/reg/', 'missing'],

    ['https://a.example/registry/icons/c.svg', 'https://a.example/reg', 'elsewhere'],
    ['https://a.example/REG/icons/c.svg', 'https://a.example/reg/', 'elsewhere'],
    ['https://a.example/icons/c.svg', 'https://a.example/reg/', 'elsewhere'],
    ['http://a.example/reg/icons/c.svg', 'https://a.example/reg/', 'elsewhere'],
    ['https://a.example:8443/reg/c.svg', 'https://a.example/reg/', 'elsewhere'],
    ['https://user@a.example/reg/c.svg', 'https://a.example/reg/', 'malformed'],
    ['https://a.example.test/reg/c.svg', 'https://a.example/reg/', 'elsewhere'],
    ['https://a.example/reg/../c.svg', 'https://a.example/reg/', 'elsewhere'],
    // A host may normalize these, or not.
    ['https://a.example/reg/icons//c.svg', 'https://a.example/reg/', 'elsewhere'],
    ['https://a.example/reg/./icons/c.svg', 'https://a.example/reg/', 'elsewhere'],
    ['https://a.example/reg/x/../c.svg', 'https://a.example/reg/', 'elsewhere'],
    ['https://a.example/reg/icons/', 'https://a.example/reg/', 'elsewhere'],
    ['https://a.example/reg/%ff.svg', 'https://a.example/reg/', 'elsewhere'],
  ])('with the URL %s below %s is %s', async (url, base, state) => {
    const at = base.replace(/\/$/, '');
    const apps = {
      one: { ...withIcon('one', url), appMetadataUrl: `${at}/one.json` },
      two: { ...withIcon('two', `${at}/icons/two.svg`), appMetadataUrl: `${at}/two.json` },
    };
    const metadata = versionsOf('https://cdn.example.net/1.tar.gz');
    const files = { 'registry.json': { apps }, 'one.json': metadata, 'two.json': metadata };
    const report = await lint(folder({ ...files, 'icons/a b.svg': SVG, 'icons/two.svg': SVG }), base);
    expect(report.findings.filter(({ rule }) => rule === 'file-missing').map(({ app }) => app)).toEqual(
      state === 'missing' ? ['one'] : [],
    );
    expect(elsewhere(report, 'icon')).toBe(state === 'elsewhere' ? 1 : 0);
    expect(report.findings.some(({ rule }) => rule === 'url-malformed')).toBe(state === 'malformed');
  });

  test('under a name that differs in case is that error alone', async () => {
    const report = await lint(
      folder({ ...iconsAt(`${BASE}icons/One.svg`, `${BASE}two.svg`), 'icons/one.svg': SVG, 'two.svg': SVG }),
    );
    expect(errorsIn(report)).toEqual(['file-name-differs case k0 icon']);
  });
});

/** What can be at a path instead of a file; each is an error even if it is the only artifact or icon. */
const STATES: Readonly<
  Record<string, readonly [put: (path: string, root: string) => void, cause: string, is: RegExp]>
> = {
  folder: [(path) => mkdirSync(path), 'not-a-file', /it is a folder\.$/],
  'link loop': [(path) => symlinkSync(path, path), 'not-a-file', /a symbolic link that forms a loop\.$/],
  pipe: [(path) => execFileSync('mkfifo', [path]), 'not-a-file', /is not a regular file\.$/],
  device: [(path) => symlinkSync('/dev/zero', path), 'outside', /a target outside the workspace\.$/],
  'dangling link': [(path) => symlinkSync('nowhere', path), 'missing', /a link to a file that does not exist\.$/],
  'link to the outside': [
    (path) => symlinkSync(join(folder({ a: 'x' }), 'a'), path),
    'outside',
    /is a link to a target outside the workspace\.$/,
  ],
};

describe.skipIf(process.platform === 'win32')('instead of a file', () => {
  const files = {
    'registry.json': { apps: { a: entry('a') } },
    'apps/a/versions.json': versionsOf(`${BASE}apps/a/1.tar.gz`),
    'apps/a/1.tar.gz': ARTIFACTS[0],
    'apps/a/icon.svg': SVG,
  };

  test.each(Object.entries(STATES))('a %s is an error', async (_, [put, cause, is]) => {
    for (const [file, resource] of [
      ['apps/a/1.tar.gz', 'artifact'],
      ['apps/a/icon.svg', 'icon'],
      ['apps/a/versions.json', 'metadata'],
    ] as const) {
      const root = folder(files);
      rmSync(join(root, file));
      put(join(root, file), root);
      const report = await lint(root);
      const [found, ...others] = report.findings.filter(({ severity }) => severity === 'error');
      expect(others).toEqual([]);
      expect(found).toMatchObject({ rule: 'file-missing', cause, resource });
      expect(found!.message).toMatch(is);
      expect(found!.message).toContain(`The ${resource === 'metadata' ? 'metadata file' : resource} ${file} `);
    }
  });

  test('a socket is an error', async () => {
    const root = folder(files);
    const file = join(root, 'apps/a/icon.svg');
    rmSync(file);
    const socket = createServer();
    await new Promise<void>((resolve) => void socket.listen(file, resolve));
    const report = await lint(root);
    await new Promise((resolve) => socket.close(resolve));
    expect(errorsIn(report)).toEqual(['file-missing not-a-file a icon']);
  });

  test('lint finds exactly the files that a server of the folder does not have', async () => {
    const states = Object.entries(STATES);
    const keys = [...states.map((_, i) => `s${i}`), 'absent', 'case', 'intact'];
    const root = folder({
      'registry.json': {
        apps: Object.fromEntries(keys.map((key) => [key, withIcon(key, `${BASE}apps/${key}/icon.svg?v=1`)])),
      },
      ...Object.fromEntries(
        keys.flatMap((key) => [
          [
            `apps/${key}/versions.json`,
            versionsOf(`${BASE}apps/${key}/versions/1.tar.gz`, `${BASE}apps/${key}/versions/2.tar.gz`),
          ],
          [`apps/${key}/versions/1.tar.gz`, ARTIFACTS[0]],
        ]),
      ),
      'apps/intact/icon.svg': SVG,
      'apps/intact/versions/2.tar.gz': ARTIFACTS[1],
      'apps/case/Icon.svg': SVG,
      'apps/case/versions/2.TAR.gz': ARTIFACTS[1],
    });
    for (const [i, [, [put]]] of states.entries())
      for (const file of [`apps/s${i}/icon.svg`, `apps/s${i}/versions/2.tar.gz`]) {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        put(join(root, file), root);
      }
    const server = await startTestServer(root, { rewriteFrom: BASE });
    const judging = startJudging({ command: 'verify', target: server.manifestUrl, now: NOW });
    for await (const part of observe(server.manifestUrl)) judging.add(part);
    const live = judging.finish(0);
    const local = await lint(root);
    expect(places(local, /^file-/)).toEqual(places(live, /^unreachable$/));
    expect(places(local, /^file-/)).toHaveLength(2 * (keys.length - 1));
    expect(local.apps).toEqual(live.apps.map((app) => ({ ...app })));
  });
});

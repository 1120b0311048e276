import { describe, expect, test } from 'vitest';
import { join } from 'node:path';
import { bundle } from '../../src/bundle/bundle.ts';
import { billOfMaterials } from '../../src/bundle/packages/bill-of-materials.ts';
import { openOrigins } from '../../src/bundle/packages/package-origin.ts';
import { billErrors } from '../support/cyclonedx.ts';
import { tree } from './tree.ts';

const SHA = '0123456789abcdef0123456789abcdef01234567';
const GITHUB = { vcsUrl: `git+https://github.com/acme/a.git@${SHA}` };

describe('the record of npm', () => {
  test.each<[resolved: string, origin: object | null]>([
    ['https://registry.npmjs.org/a/-/a-1.0.0.tgz', null],
    ['https://user:secret@mirror.example.com/npm/@acme/a/-/a-1.0.0.tgz?x=1', null],
    ['https://npm.pkg.github.com/download/@acme/a/1.0.0/0a1b', null],
    [`git+ssh://git@github.com/acme/a.git#${SHA}`, GITHUB],
    [`git+https://user:secret@github.com/acme/a.git#${SHA}`, GITHUB],
    [`https://codeload.github.com/acme/a/tar.gz/${SHA}`, GITHUB],
    [
      `git+ssh://git@git.example.com:2222/acme/a.git#${SHA}`,
      { vcsUrl: `git+ssh://git.example.com:2222/acme/a.git@${SHA}` },
    ],
    [`git+https://git.example.com/acme/a#${SHA}`, { vcsUrl: `git+https://git.example.com/acme/a@${SHA}` }],
    ['https://user:secret@files.example.com/a.tgz?token=secret', { downloadUrl: 'https://files.example.com/a.tgz' }],
    ['file:../a-1.0.0.tgz', {}],
  ])('%s', (resolved, origin) => {
    const packages = { 'node_modules/b/node_modules/a': { version: '1.0.0', resolved } };
    const folder = tree({ 'node_modules/.package-lock.json': JSON.stringify({ packages }) });
    const originOf = openOrigins();
    expect(originOf(join(folder, 'node_modules/b/node_modules/a'))).toEqual(origin);
    expect(originOf(join(folder, 'node_modules/a'))).toBeNull();
  });
});

test.each<[path: string, origin: object | null]>([
  ['/x/node_modules/.pnpm/a@1.0.0/node_modules/a', null],
  ['/x/node_modules/.pnpm/@acme+a@1.0.0_react@19.0.0/node_modules/@acme/a', null],
  [`/x/node_modules/.pnpm/a@https+++codeload.github.com+acme+a+tar.gz+${SHA}/node_modules/a`, GITHUB],
  [
    '/x/node_modules/.pnpm/a@https+++files.example.com+a.tgz/node_modules/a',
    { downloadUrl: 'https://files.example.com/a.tgz' },
  ],
  ['/x/node_modules/.pnpm/a@file+a-1.0.0.tgz/node_modules/a', {}],
  ['/store/v11/links/@/a/1.0.0/0a1b/node_modules/a', null],
  ['/store/v11/links/@acme/a/1.0.0/0a1b/node_modules/@acme/a', null],
  [`/store/v11/links/@/a/https+++codeload.github.com+acme+a+tar.gz+${SHA}/0a1b/node_modules/a`, GITHUB],
  ['/root/.yarn/berry/cache/a-npm-1.0.0-0a1b-10c0.zip/node_modules/a', null],
  ['/root/.yarn/berry/cache/@acme-a-npm-1.0.0-0a1b-10c0.zip/node_modules/@acme/a', null],
  ['/root/.yarn/berry/cache/a-file-0a1b-10c0.zip/node_modules/a', {}],
  ['/root/.yarn/berry/cache/a-https-0a1b-10c0.zip/node_modules/a', {}],
  ['/x/.yarn/unplugged/a-npm-1.0.0-0a1b/node_modules/a', null],
  ['/x/.yarn/unplugged/a-virtual-0a1b/node_modules/a', null],
  ['/x/.yarn/unplugged/a-https-0a1b/node_modules/a', {}],
])('the folder %s', (path, origin) => expect(openOrigins()(path)).toEqual(origin));

test('the record of Yarn', () => {
  const state = `__metadata:\n  version: 1\n\n"a@https://github.com/acme/a.git#commit=${SHA}":\n  locations:\n    - "node_modules/a"\n\n"@acme/b@virtual:0a1b#npm:1.0.0":\n  locations:\n    - "node_modules/@acme/b"\n\n"c@file:./c#./c::hash=0a&locator=v":\n  locations:\n    - "node_modules/c"\n    - "node_modules/d/node_modules/c"\n`;
  const folder = tree({ 'node_modules/.yarn-state.yml': state });
  const originOf = openOrigins();
  const found = ['a', '@acme/b', 'c', 'd/node_modules/c', 'e'].map((name) =>
    originOf(join(folder, 'node_modules', name)),
  );
  expect(found).toEqual([GITHUB, null, {}, {}, null]);
});

test('a bill of materials has the purl of the registry only for its packages', async () => {
  const names = ['a', 'b', 'c', 'd'];
  const resolved: Record<string, string> = {
    'node_modules/a': `git+ssh://git@github.com/acme/a.git#${SHA}`,
    'node_modules/b': 'https://files.example.com/b.tgz',
    'node_modules/c': 'file:c.tgz',
  };
  const folder = tree({
    'main.ts': `${names.map((name) => `import ${name} from '${name}';`).join('\n')} export { ${names.join(', ')} };`,
    'node_modules/.package-lock.json': JSON.stringify({
      packages: Object.fromEntries(Object.entries(resolved).map(([path, at]) => [path, { resolved: at }])),
    }),
    ...Object.fromEntries(
      names.flatMap((name) => [
        [`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0' })],
        [`node_modules/${name}/index.js`, 'export default Date.now();'],
      ]),
    ),
  });
  const { materials } = await bundle({ entry: join(folder, 'main.ts') });
  const bill = Buffer.from(
    billOfMaterials(materials!, { name: 'clock', version: '1.0.0', checksum: `sha256:${'0'.repeat(64)}` }),
  ).toString();
  expect(await billErrors(bill)).toBeNull();
  const { components } = JSON.parse(bill) as { components: { purl?: string }[] };
  expect(components.map(({ purl }) => purl)).toEqual([
    `pkg:npm/a@1.0.0?vcs_url=${encodeURIComponent(GITHUB.vcsUrl)}`,
    `pkg:npm/b@1.0.0?download_url=${encodeURIComponent('https://files.example.com/b.tgz')}`,
    undefined,
    'pkg:npm/d@1.0.0',
  ]);
});

import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { bundle, type BundleOptions } from '../../src/bundle/bundle.ts';
import { built, tree, unpacked } from './tree.ts';

const NOTICES = 'THIRD-PARTY-NOTICES.txt';
const MAIN = { 'main.ts': `import { a } from 'a'; export const app = { a };` };

/** An installed package whose code is used. */
function installed(
  manifest: Record<string, unknown> | null,
  files: Record<string, string | Uint8Array>,
  folder = 'node_modules/a',
): Record<string, string | Uint8Array> {
  const own = { 'index.js': 'export const a = String(Date.now());', ...files };
  return {
    ...(manifest && { [`${folder}/package.json`]: JSON.stringify({ name: 'a', version: '1.0.0', ...manifest }) }),
    ...Object.fromEntries(Object.entries(own).map(([path, content]) => [`${folder}/${path}`, content])),
  };
}

async function noticesOf(
  files: Record<string, string | Uint8Array>,
  options: Partial<BundleOptions> = {},
): Promise<{ text: string; warnings: string[] }> {
  const folder = tree({ ...MAIN, ...files });
  const { archive, warnings } = await bundle({ entry: join(folder, 'main.ts'), ...options });
  return { text: (await unpacked(archive))[NOTICES] ?? '', warnings };
}

describe('the license notices', () => {
  test('have name, version, license and text of each package with code in the archive', async () => {
    const { text, warnings } = await noticesOf({
      'main.ts': `import { a } from 'a'; import { b } from '@scope/b'; import { c } from 'c'; export const app = { a, b };`,
      ...installed({ license: 'MIT' }, { LICENSE: 'MIT License\n\nCopyright (c) Ann' }),
      ...installed(
        { name: '@scope/b', version: '2.0.0-rc.1', license: 'ISC' },
        { 'index.js': 'export const b = 1;', 'license.md': '# ISC\n\nCopyright Bob\n' },
        'node_modules/@scope/b',
      ),
      // Nothing of it is in the output.
      ...installed(
        { name: 'c', license: 'MIT' },
        { 'index.js': 'export const c = 1;', LICENSE: 'Copyright Cid' },
        'node_modules/c',
      ),
    });
    expect(warnings).toEqual([]);
    expect(text).toBe(
      [
        'This app contains code of the following packages.',
        '@scope/b 2.0.0-rc.1\nLicense: ISC\n\n# ISC\n\nCopyright Bob',
        'a 1.0.0\nLicense: MIT\n\nMIT License\n\nCopyright (c) Ann\n',
      ].join(`\n\n${'-'.repeat(80)}\n\n`),
    );
  });

  test('are not in an app without packages, nor with notices: false', async () => {
    const { files } = await built({
      'main.ts': `import { b } from './b.ts'; export { b };`,
      'b.ts': 'export const b = 1;',
    });
    expect(Object.keys(files)).toEqual(['app.js']);
    const { text } = await noticesOf(installed({}, { LICENSE: 'x' }), { notices: false });
    expect(text).toBe('');
  });

  test('list several versions of a package as several entries', async () => {
    const { text } = await noticesOf({
      'main.ts': `import { a } from 'a'; import { b } from 'b'; export const app = { a, b };`,
      ...installed({ version: '10.0.0' }, { LICENSE: 'of ten' }),
      ...installed({ name: 'b' }, { 'index.js': `export { a as b } from 'a';` }, 'node_modules/b'),
      ...installed({ version: '9.0.0' }, { LICENSE: 'of nine' }, 'node_modules/b/node_modules/a'),
    });
    expect(text.match(/^a .*/gm)).toEqual(['a 9.0.0', 'a 10.0.0']);
    // All of its code is a re-export.
    expect(text).not.toMatch(/^b /m);
  });

  test('do not list folders of a package as packages, nor its alias', async () => {
    const { text } = await noticesOf({
      'main.ts': `import { a } from 'alias/inner'; export const app = { a };`,
      ...installed({ name: 'real', version: '3.0.0' }, { LICENSE: 'Copyright' }, 'node_modules/alias'),
      'node_modules/alias/inner/package.json': '{"name":"inner","type":"module","main":"x.js"}',
      'node_modules/alias/inner/x.js': 'export const a = 1;',
    });
    expect(text.match(/^\S+ \d.*/gm)).toEqual(['real 3.0.0']);
  });

  test('do not list code outside of node_modules: packages of the workspace are the author’s own', async () => {
    const folder = tree({
      'app/main.ts': `import { a } from 'own'; export { a };`,
      'own/package.json': '{"name":"own","version":"1.0.0"}',
      'own/index.js': 'export const a = 1;',
      'app/node_modules/.keep': '',
    });
    symlinkSync(join(folder, 'own'), join(folder, 'app/node_modules/own'), 'junction');
    const { entries, materials } = await bundle({ entry: join(folder, 'app/main.ts') });
    expect(entries.map(({ path }) => path)).toEqual(['app.js']);
    expect(materials?.packages).toEqual([]);
  });

  test.each<[name: string, manifest: Record<string, unknown> | null, shown: string]>([
    ['an expression', { license: '(MIT OR Apache-2.0)' }, '(MIT OR Apache-2.0)'],
    ['an object', { license: { type: 'BSD-3-Clause', url: 'x' } }, 'BSD-3-Clause'],
    ['a list', { licenses: [{ type: 'MIT' }, { type: 'GPL-2.0' }] }, '(MIT OR GPL-2.0)'],
    ['a list of texts', { license: ['MIT', 'ISC'] }, '(MIT OR ISC)'],
    ['a list of one', { licenses: [{ type: 'MIT' }] }, 'MIT'],
    ['a text that is no expression', { license: 'SEE LICENSE IN LICENSE' }, 'SEE LICENSE IN LICENSE'],
    ['nothing', {}, '(not declared)'],
    ['an empty text', { license: ' ' }, '(not declared)'],
    ['another type', { license: 7 }, '(not declared)'],
    ['control characters', { license: 'MIT\u001b[31m\nx' }, 'MIT\\u{1b}[31m\\u{a}x'],
  ])('show the license of a package that declares %s', async (_, manifest, shown) => {
    const { text } = await noticesOf(installed(manifest, { LICENSE: 'text' }));
    expect(/^License: (.*)$/m.exec(text)?.[1]).toBe(shown);
  });

  test.each([
    'LICENSE',
    'license',
    'LICENCE',
    'License.md',
    'licence.txt',
    'LICENSE-MIT',
    'LICENSE.APACHE2',
    'LICENSES/MIT.txt',
    'COPYING',
    'COPYING.LESSER',
    'COPYRIGHT',
    'UNLICENSE',
    'MIT-LICENSE.txt',
  ])('find the text in %s', async (name) => {
    const { text, warnings } = await noticesOf(installed({ license: 'MIT' }, { [name]: 'The text.' }));
    expect(text).toMatch(/License: MIT\n\nThe text\.\n$/);
    expect(warnings).toEqual([]);
  });

  test.each(['license.js', 'license.d.ts', 'licenses.json', 'unlicensed.md', 'README.md', 'src/LICENSE'])(
    'take no text from %s, and warn',
    async (name) => {
      const { text, warnings } = await noticesOf(installed({ license: 'MIT' }, { [name]: 'no text' }));
      expect(text).toMatch(/a 1\.0\.0\nLicense: MIT\n\n\(The package contains no license text\.\)\n$/);
      expect(warnings).toEqual([
        'the package a@1.0.0 (MIT) contains no license text, so THIRD-PARTY-NOTICES.txt has none for it; most licenses require that their text is passed on. If you know the text, give it in bundle.licenses.texts of the configuration: { "a@1.0.0": "…" }',
      ]);
    },
  );

  test('have all texts of a package, and its NOTICE under any license', async () => {
    const files = { 'LICENSE-MIT': 'of MIT', 'LICENSE-APACHE': 'of Apache', NOTICE: 'Made by Ann' };
    const { text } = await noticesOf(installed({ license: 'MIT OR Apache-2.0' }, files));
    expect(text).toMatch(
      /Apache-2.0\n\n\[LICENSE-APACHE\]\n\nof Apache\n\n\[LICENSE-MIT\]\n\nof MIT\n\n\[NOTICE\]\n\nMade by Ann\n$/,
    );
    const other = await noticesOf(installed({ license: 'MIT' }, files));
    expect(other.text).toContain('\n\n[NOTICE]\n\nMade by Ann\n');
  });

  test.each([
    'THIRD-PARTY-NOTICES.md',
    'THIRD-PARTY-LICENSES',
    'ThirdPartyNotices.txt',
    'ThirdPartyNoticeText.txt',
    'third_party_licenses.txt',
    '3rdpartylicenses.txt',
    'NOTICES',
    'index.js.LICENSE.txt',
  ])('have the notices of contained code in %s, which are not the license of the package', async (name) => {
    const complete = await noticesOf(installed({ license: 'MIT' }, { LICENSE: 'Own', [name]: 'Of others' }));
    expect(complete.text).toContain(`\n\n[${name}]\n\nOf others`);
    expect(complete.text).toContain('\n\n[LICENSE]\n\nOwn');
    expect(complete.warnings).toEqual([]);
    const without = await noticesOf(installed({ license: 'MIT' }, { [name]: 'Of others' }));
    expect(without.text).toContain(`(The package contains no license text.)\n\n[${name}]\n\nOf others`);
    expect(without.warnings).toHaveLength(1);
  });

  test('have the texts of the folders above a bundled file, and of no others', async () => {
    const { text, warnings } = await noticesOf(
      installed(
        { license: 'MIT' },
        {
          'index.js': `export { a } from './lib/web/fetch/main.js';`,
          'lib/web/fetch/main.js': 'export const a = String(Date.now());',
          'lib/web/fetch/LICENSE': 'Of fetch',
          'lib/LICENSES/x.txt': 'Of lib',
          'lib/other/LICENSE': 'Of other',
          'lib/web/fetch/below/LICENSE': 'Of below',
          LICENSE: 'Own',
        },
      ),
    );
    expect(warnings).toEqual([]);
    expect(text.slice(text.indexOf('a 1.0.0'))).toBe(
      'a 1.0.0\nLicense: MIT\n\n[LICENSE]\n\nOwn\n\n[lib/LICENSES/x.txt]\n\nOf lib\n\n[lib/web/fetch/LICENSE]\n\nOf fetch\n',
    );
  });

  test('name the file of a text that is not the license of the whole package', async () => {
    const { text, warnings } = await noticesOf(
      installed(
        { license: 'MIT' },
        {
          'index.js': `export { a } from './lib/a.js';`,
          'lib/a.js': 'export const a = Math.random();',
          'lib/LICENSE': 'Of lib',
        },
      ),
    );
    expect(text).toContain('(The package contains no license text.)\n\n[lib/LICENSE]\n\nOf lib');
    expect(warnings).toHaveLength(1);
  });

  const VENDORED = {
    'index.js': `export { a } from './compiled/inner/main.js';`,
    LICENSE: 'Own',
    'compiled/inner/main.js': 'export const a = String(Date.now());',
    'compiled/inner/LICENSE': 'Of inner',
  };

  test('list a package with a name and a version in another one as its own', async () => {
    const inner = JSON.stringify({ name: 'inner', version: '3.1.0', license: 'ISC' });
    const files = installed({ license: 'MIT' }, { ...VENDORED, 'compiled/inner/package.json': inner });
    const { text } = await noticesOf(files);
    expect(text).toContain('a 1.0.0\nLicense: MIT\n\nOwn\n');
    expect(text).toContain('inner 3.1.0\nLicense: ISC\n\nOf inner\n');
    const folder = tree({ ...MAIN, ...files });
    const { materials } = await bundle({ entry: join(folder, 'main.ts') });
    expect(materials?.packages.map(({ name }) => name)).toEqual(['a', 'inner']);
    expect(materials?.imports.get('')).toEqual(['a@1.0.0']);
    expect(materials?.imports.get('a@1.0.0')).toEqual(['inner@3.1.0']);
  });

  test.each([
    ['without a version', { name: 'inner' }],
    ['that is private', { name: 'a-inner', version: '0.1.0', private: true }],
    ['with the name of the package', { name: 'a', version: '0.0.0' }],
  ])('list no package %s in another one', async (_, manifest) => {
    const { text, warnings } = await noticesOf(
      installed({ license: 'MIT' }, { ...VENDORED, 'compiled/inner/package.json': JSON.stringify(manifest) }),
    );
    expect(text.match(/^\S+ \d.*/gm)).toEqual(['a 1.0.0']);
    expect(text).toContain('[compiled/inner/LICENSE]\n\nOf inner');
    expect(warnings).toEqual([]);
  });

  test('have the text that the configuration gives for a package without one', async () => {
    const licenses = { texts: { 'a@1.0.0': '\r\nMIT License \r\n\r\nCopyright Ann\r\n', 'b@1.0.0': 'x' } };
    const given = await noticesOf(installed({ license: 'MIT' }, {}), { licenses });
    expect(given.warnings).toEqual([]);
    expect(given.text).toMatch(/a 1\.0\.0\nLicense: MIT\n\nMIT License\n\nCopyright Ann\n$/);
    const noticed = await noticesOf(installed({ license: 'MIT' }, { NOTICE: 'By Ann' }), { licenses });
    expect(noticed.text).toMatch(/\[LICENSE\]\n\nMIT License\n\nCopyright Ann\n\n\[NOTICE\]\n\nBy Ann\n$/);
    const own = await noticesOf(installed({ license: 'MIT' }, { LICENSE: 'Own' }), { licenses });
    expect(own.text).not.toContain('Copyright Ann');
    const other = await noticesOf(installed({ version: '2.0.0' }, {}), { licenses });
    expect(other.warnings).toHaveLength(1);
  });

  test('have the file that the license names', async () => {
    const { text, warnings } = await noticesOf(
      installed({ license: 'SEE LICENSE IN ./docs/terms.txt' }, { 'docs/terms.txt': 'The terms.' }),
    );
    expect(text).toContain('\n\nThe terms.\n');
    expect(warnings).toEqual([]);
  });

  test.each<[name: string, bytes: string | Uint8Array]>([
    ['CRLF', 'A \r\n\r\nB\t\r\n\r\n'],
    ['CR', 'A\r\rB'],
    ['a byte order mark', '\ufeffA\n\nB\n'],
    ['empty lines around it', '\n\nA\n\nB\n\n\n'],
    ['form feeds', '\fA\n\n\fB'],
    ['UTF-16', Buffer.from('\ufeffA\n\nB', 'utf16le')],
  ])('normalize a text with %s', async (_, bytes) => {
    const { text } = await noticesOf(installed({}, { LICENSE: bytes }));
    expect(text).toMatch(/\n\nA\n\nB\n$/);
  });

  test('show control characters, and read Windows-1252', async () => {
    const { text } = await noticesOf(installed({}, { LICENSE: '\u001b]0;x\u0007\u202eA\tB' }));
    expect(text).toMatch(/\n\n\\u\{1b\}\]0;x\\u\{7\}\\u\{202e\}A\tB\n$/);
    const latin = await noticesOf(installed({}, { LICENSE: Buffer.from([0xa9, 0x20, 0xd6]) }));
    expect(latin.text).toMatch(/\n\n© Ö\n$/);
  });

  test.each<[name: string, bytes: Uint8Array, failure: string]>([
    ['is larger than the limit', Buffer.alloc(2 ** 20 + 1, 'x'), 'is larger than 1,048,576 bytes'],
    ['is not a text', Buffer.from('a\0b'), 'is not a text'],
  ])('leave out a file that %s, and warn', async (_, bytes, failure) => {
    const { warnings } = await noticesOf(installed({ license: 'MIT' }, { LICENSE: bytes }));
    expect(warnings[0]).toBe(`${NOTICES} does not have LICENSE of a@1.0.0: the file ${failure}`);
    expect(warnings).toHaveLength(2);
  });

  test.skipIf(process.platform === 'win32')('never wait for a pipe, nor follow a link out of the package', async () => {
    const folder = tree({ ...MAIN, ...installed({ license: 'MIT' }, {}), secret: 'a secret' });
    execFileSync('mkfifo', [join(folder, 'node_modules/a/LICENSE')]);
    symlinkSync('../../secret', join(folder, 'node_modules/a/COPYING'));
    const { archive, warnings } = await bundle({ entry: join(folder, 'main.ts') });
    expect((await unpacked(archive))[NOTICES]).not.toContain('a secret');
    expect(warnings.slice(0, 2)).toEqual([
      `${NOTICES} does not have COPYING of a@1.0.0: the file is outside of the package`,
      `${NOTICES} does not have LICENSE of a@1.0.0: the file is not a regular file`,
    ]);
  });

  test('have the code of the UI, and the pictures and CSS in it', async () => {
    const { files } = await built(
      {
        'main.ts': 'export const app = 1;',
        'ui.ts': `import 'style/a.css'; import { a } from 'a'; export const ui = a;`,
        'node_modules/style/package.json': '{"name":"style","version":"1.0.0","license":"MIT"}',
        'node_modules/style/a.css': 'a { color: red }',
        'node_modules/style/LICENSE': 'Copyright Style',
        ...installed({}, { LICENSE: 'Copyright A' }),
      },
      { ui: 'ui.ts' },
    );
    expect(Object.keys(files)).toEqual([NOTICES, 'app.js', 'ui.js']);
    expect(files[NOTICES]).toContain('Copyright Style');
  });

  test('give way to a file of that name that is included', async () => {
    const { files } = await built(
      { ...MAIN, ...installed({}, { LICENSE: 'x' }), [NOTICES]: 'my own' },
      { include: [NOTICES] },
    );
    expect(files[NOTICES]).toBe('my own');
  });

  test('are the same for a package in an archive of Plug’n’Play, and in the store of pnpm', async () => {
    const files = { 'package.json': '{"name":"a","version":"1.0.0","license":"MIT"}', LICENSE: 'Copyright A' };
    const { openPackage } = await import('../../src/bundle/packages/package-files.ts');
    const { noticesOf: render } = await import('../../src/bundle/packages/notices.ts');
    const entries = Object.fromEntries(
      Object.entries(files).map(([path, text]) => [`node_modules/a/${path}`, Buffer.from(text)]),
    );
    const folder = tree({ 'a.zip': zipSync({ ...entries, 'node_modules/a/LICENSES/x/y': Buffer.from('z') }) });
    const inArchive = openPackage(join(folder, 'a.zip/node_modules/a'));
    expect(inArchive.names).toEqual(['LICENSE', 'package.json']);
    const flat = await noticesOf(installed({ license: 'MIT' }, files));
    const one = { name: 'a', version: '1.0.0', license: 'MIT', files: inArchive };
    expect(Buffer.from(render([one]).file.bytes).toString()).toBe(flat.text);

    const stored = tree({
      ...MAIN,
      ...installed({ license: 'MIT' }, files, 'node_modules/.pnpm/a@1.0.0/node_modules/a'),
    });
    symlinkSync(join(stored, 'node_modules/.pnpm/a@1.0.0/node_modules/a'), join(stored, 'node_modules/a'), 'junction');
    expect(existsSync(join(stored, 'node_modules/a/LICENSE'))).toBe(true);
    const { archive } = await bundle({ entry: join(stored, 'main.ts') });
    expect((await unpacked(archive))[NOTICES]).toBe(flat.text);
  });
});

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
        'the package a@1.0.0 (MIT) contains no license text, so THIRD-PARTY-NOTICES.txt has none for it; most licenses require that their text is passed on',
      ]);
    },
  );

  test('have all texts of a package, and its NOTICE if it is under the Apache license', async () => {
    const files = { 'LICENSE-MIT': 'of MIT', 'LICENSE-APACHE': 'of Apache', NOTICE: 'Made by Ann' };
    const { text } = await noticesOf(installed({ license: 'MIT OR Apache-2.0' }, files));
    expect(text).toMatch(
      /Apache-2.0\n\n\[LICENSE-APACHE\]\n\nof Apache\n\n\[LICENSE-MIT\]\n\nof MIT\n\n\[NOTICE\]\n\nMade by Ann\n$/,
    );
    const other = await noticesOf(installed({ license: 'MIT' }, files));
    expect(other.text).not.toContain('Made by Ann');
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

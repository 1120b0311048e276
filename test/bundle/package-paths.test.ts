import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { packagePath, withPackagePaths } from '../../src/bundle/package-paths.ts';

const root = mkdtempSync(join(tmpdir(), 'appreg-paths-'));
afterAll(() => rmSync(root, { recursive: true }));
const folder = join(root, 'src');
mkdirSync(folder);

function createFile(path: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  return path;
}

test.each([
  ['main.ts', 'main.ts'],
  ['../lib/a.ts', '../lib/a.ts'],
  ['node_modules/ms/index.js', 'node_modules/ms/index.js'],
  ['../node_modules/ms/index.js', 'node_modules/ms/index.js'],
  ['../../../node_modules/@scope/a/b.js', 'node_modules/@scope/a/b.js'],
  ['../node_modules/debug/node_modules/ms/index.js', 'node_modules/ms/index.js'],
  ['../node_modules/.pnpm/a@19.1.0_react@19.1.0/node_modules/a/index.js', 'node_modules/a/index.js'],
  ['../node_modules/.bun/ms@2.1.3/node_modules/ms/index.js', 'node_modules/ms/index.js'],
  ['../../../root/.yarn/berry/cache/ms-npm-2.1.3-81ff-10c0.zip/node_modules/ms/index.js', 'node_modules/ms/index.js'],
  ['../.yarn/unplugged/ms-npm-2.1.3-81ff/node_modules/ms/index.js', 'node_modules/ms/index.js'],
  ['../.yarn/__virtual__/a-virtual-c8b/2/g/cache/a-npm-4.zip/node_modules/a/src/a.js', 'node_modules/a/src/a.js'],
  ['../.yarn/__virtual__/shared-virtual-c8b/1/packages/shared/a.ts', '../packages/shared/a.ts'],
  [
    '../../../root/.local/share/pnpm/store/v11/links/@/ms/2.1.3/0a1b/node_modules/ms/index.js',
    'node_modules/ms/index.js',
  ],
  ['../../elsewhere/node_modules/ms/index.js', 'node_modules/ms/index.js'],
  ['C:/cache/ms.zip/node_modules/ms/index.js', 'node_modules/ms/index.js'],
  ['(disabled):../node_modules/.pnpm/a@1/node_modules/a/b.js', '(disabled):node_modules/a/b.js'],
])('the path %s is shortened to %s', (path, short) => expect(packagePath(path)).toBe(short));

describe('withPackagePaths', () => {
  const path = createFile('../node_modules/.pnpm/größe@1.0.0/node_modules/größe/index.js');
  const short = 'node_modules/größe/index.js';

  test.each([
    [`// ${path}\n`, `// ${short}\n`],
    [`/* ${path} */\n`, `/* ${short} */\n`],
    [
      `var require_x = __commonJS({\n  "${path}"(exports, module) {\n`,
      `var require_x = __commonJS({\n  "${short}"(exports, module) {\n`,
    ],
    [`  "${path}": function(exports) {\n`, `  "${short}": function(exports) {\n`],
    [`// ../cache/a.zip/node_modules/a/b.js\n`, `// node_modules/a/b.js\n`],
  ])('shortens the path in %j', (code, expected) => {
    expect(withPackagePaths(Buffer.from(code), folder).toString()).toBe(expected);
  });

  test.each([
    `const text = "${path}";\n`,
    `    // ${path}\n`,
    `x(); // ${path}\n`,
    '// ../node_modules/.pnpm/not-there@1/node_modules/not-there/index.js\n',
    '`\n// look into ../node_modules/.pnpm/x/node_modules/y\n`\n',
    '// main.ts\n',
  ])('leaves %j unchanged', (code) => {
    expect(withPackagePaths(Buffer.from(code), folder).toString()).toBe(code);
  });

  test('leaves bytes that are not UTF-8 unchanged', () => {
    const code = Buffer.concat([Buffer.from(`// ${path}\n"`), Buffer.from([0xff, 0x80]), Buffer.from('"')]);
    expect(withPackagePaths(code, folder).subarray(-3)).toEqual(code.subarray(-3));
  });
});

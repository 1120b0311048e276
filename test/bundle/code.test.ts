import { execFileSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { built, writeFiles, tree } from './tree.ts';

type Files = Record<string, string>;

/** The result of `run()` of the built app.js, in a separate process and in a folder without other files. */
function run(files: Files): string {
  const folder = writeFiles(tree(), { ...files, 'package.json': '{"type":"module"}' });
  const script = `import('./app.js').then(async (app) => process.stdout.write(String(await app.run())))`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, encoding: 'utf8' });
}

const PACKAGE = (name: string, more: object = {}) => JSON.stringify({ name, version: '1.0.0', ...more });

describe('the app', () => {
  test('contains TypeScript, JSON, local modules and dynamic imports in one app.js', async () => {
    const { files, entries } = await built({
      'main.ts': `import { name } from './data.json';
        import { greet } from './lib/greet';
        export const run = async (): Promise<string> => greet(name as string) + (await import('./lib/late.ts')).late;`,
      'lib/greet.ts': `enum Mark { Bang = '!' }
        export const greet = (who: string): string => \`hello \${who}\${Mark.Bang}\`;`,
      'lib/late.ts': `export const late = ' later';`,
      'data.json': '{"name":"wörld"}',
    });
    expect(entries.map((entry) => entry.path)).toEqual(['app.js']);
    expect(run(files)).toBe('hello wörld! later');
  });

  test('may contain CommonJS dependencies that use Node modules at run time', async () => {
    const { files } = await built({
      'main.ts': `import dep from 'old-dep';
        import { createRequire } from 'node:module';
        const require = createRequire(import.meta.url);
        export const run = () => [dep(), typeof require('os').cpus, typeof __dirname].join(' ');`,
      'node_modules/old-dep/package.json': PACKAGE('old-dep', { main: 'lib/index.js' }),
      'node_modules/old-dep/lib/index.js': `const path = require('path'); const { EventEmitter } = require('node:events');
        const name = ['o', 's'].join('');
        module.exports = () => [path.basename(__filename), typeof EventEmitter, typeof require(name).cpus].join(' ');`,
    });
    expect(run(files)).toBe('app.js function function function string');
  });

  test('contains no createRequire if it is not needed', async () => {
    const { files } = await built({
      'main.ts': `import { sep } from 'node:path'; import { one } from 'new-dep'; export const run = () => sep.length + one;`,
      'node_modules/new-dep/package.json': PACKAGE('new-dep', { type: 'module', exports: './index.js' }),
      'node_modules/new-dep/index.js': 'export const one = 1;',
    });
    expect(run(files)).toBe('2');
    expect(files['app.js']).not.toContain('createRequire');
  });

  test.each(['main.js', 'main.mjs', 'main.cjs', 'main.jsx', 'main.tsx', 'main.mts', 'app.js'])(
    'may have the entry point %s',
    async (entry) => {
      const { files } = await built({ [entry]: 'export const run = () => 1;' }, {}, entry);
      expect(run(files)).toBe('1');
    },
  );

  test('preserves a shebang in the first line', async () => {
    const { files } = await built(
      {
        'main.js': `#!/usr/bin/env node\nimport dep from './dep.cjs'; export const run = () => dep;`,
        'dep.cjs': `module.exports = require('path').sep.length`,
      },
      {},
      'main.js',
    );
    expect(files['app.js']).toMatch(/^#!.*\nimport \{ createRequire/);
    expect(run(files)).toBe('1');
  });

  test('does not contain the SDK, native modules or external packages', async () => {
    const { files, warnings } = await built(
      {
        'main.ts': `import { defineApp } from '@slflows/sdk/v1'; import sdk from '@slflows/sdk'; import pg from 'pg'; import sub from 'pg/lib/x';
          import native from './native.node'; export const run = () => [defineApp, sdk, pg, sub, native];`,
      },
      { external: ['pg'] },
    );
    for (const name of ['@slflows/sdk/v1', '@slflows/sdk', 'pg', 'pg/lib/x', './native.node'])
      expect(files['app.js']).toContain(`from "${name}"`);
    expect(warnings).toEqual(
      ['loads pg, ', 'loads pg/lib/x, ', './native.node'].map((text) => expect.stringContaining(text)),
    );
  });

  test('has no warning about a native module that is included next to app.js', async () => {
    const files = {
      'main.ts': `import native from './native.node'; export const run = () => native;`,
      'native.node': 'binary',
    };
    expect((await built(files, { include: ['*.node'] })).warnings).toEqual([]);
  });

  test('is compiled with the given target and minify options', async () => {
    const source = { 'main.ts': `export const run = (longName?: { inner: number }) => longName?.inner ?? 7;` };
    expect((await built(source)).files['app.js']).toContain('??');
    expect((await built(source, { target: 'es2019' })).files['app.js']).not.toContain('??');
    expect((await built(source, { minify: true })).files['app.js']).not.toContain('longName');
    for (const target of ['node-last', 'node', 'chrome', 'node22,chrome', ''])
      await expect(built(source, { target }), target).rejects.toMatchObject({ code: 'build-target-unknown', exit: 2 });
  });

  test('has source maps with the right lines and relative paths', async () => {
    const source = {
      'src/main.ts': `import dep from './dep.cjs';\n\nexport const run = () => {\n  dep();\n  throw new Error('here');\n};`,
      'src/dep.cjs': `module.exports = () => require('path');`,
    };
    const { files } = await built(source, { sourcemap: true, minify: true }, 'src/main.ts');
    expect(files['app.js']).toMatch(/^import \{ createRequire/);
    const map = JSON.parse(Buffer.from(files['app.js']!.split('base64,').pop()!, 'base64').toString());
    expect(map.sources.toSorted()).toEqual(['dep.cjs', 'main.ts']);
    const folder = writeFiles(tree(), { 'app.mjs': files['app.js']! });
    const script = `import('./app.mjs').then((app) => { try { app.run(); } catch (error) { process.stdout.write(error.stack); } })`;
    const stack = execFileSync(process.execPath, ['--enable-source-maps', '-e', script], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stack).toContain('main.ts:5:9');
  });

  test('has a warning about CSS, which is not included', async () => {
    const { warnings } = await built({ 'main.ts': `import './x.css'; export const run = 1;`, 'x.css': 'a{}' });
    expect(warnings).toEqual([expect.stringContaining('CSS')]);
  });

  test('has warnings with file, line and column', async () => {
    const { warnings } = await built({ 'main.ts': `export const run = () =>\n  typeof globalThis === 'nonsense';` });
    expect(warnings).toEqual([expect.stringMatching(/^main\.ts:2:\d+: .*nonsense/)]);
  });
});

describe('the UI', () => {
  const RUNTIME = {
    'node_modules/react/package.json': PACKAGE('react', { exports: { './jsx-runtime': './jsx.js' } }),
    'node_modules/react/jsx.js': `exports.jsx = (type, props) => ({ type, props }); exports.mode = process.env.NODE_ENV;`,
  };
  const UI = {
    ...RUNTIME,
    'main.ts': 'export const run = 1;',
    'ui.tsx': `import './ui.css'; import icon from './icon.svg'; import { mode } from 'react/jsx-runtime';
      globalThis.page = <img className="é" src={icon} title={mode} />;`,
    'ui.css': `@import './base.css'; .a { background: url(./dot.png); content: "</style>é\u2028" }`,
    'base.css': 'body { margin: 0 }',
    'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'dot.png': '\u0089PNG not really',
  };

  test('contains JSX, CSS and images in ui.js', async () => {
    const { files, entries, warnings } = await built(UI, { ui: 'ui.tsx' });
    expect(entries.map((entry) => entry.path)).toEqual(['THIRD-PARTY-NOTICES.txt', 'app.js', 'ui.js']);
    expect(warnings).toEqual([expect.stringMatching(/^the package react@.* contains no license text/)]);
    const styles: { textContent: string }[] = [];
    const document = {
      createElement: () => ({}),
      head: { append: (style: { textContent: string }) => styles.push(style) },
    };
    const page: Record<string, any> = { document };
    runInNewContext(files['ui.js']!, page);
    expect(page['page']).toMatchObject({ type: 'img', props: { className: 'é', title: 'production' } });
    expect(page['page'].props.src).toMatch(/^data:image\/svg\+xml[,;]/);
    expect(styles).toHaveLength(1);
    expect(styles[0]!.textContent).toMatch(/margin: 0;[^]*url\(["']?data:image\/png[,;]/);
    expect(runInNewContext(files['ui.js']!, {})).toBeDefined();
  });

  test('contains no code for styles without CSS', async () => {
    const { files } = await built({ 'main.ts': 'export {}', 'ui.js': 'export const ui = 1;' }, { ui: 'ui.js' });
    expect(files['ui.js']).not.toContain('document');
  });

  test('contains no JSX, regardless of the jsx setting in tsconfig', async () => {
    const { files } = await built(
      { ...UI, 'tsconfig.json': '{"compilerOptions":{"jsx":"preserve"}}' },
      { ui: 'ui.tsx' },
    );
    expect(files['ui.js']).not.toContain('<img');
  });
});

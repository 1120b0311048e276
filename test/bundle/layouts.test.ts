import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { bundle } from '../../src/bundle/bundle.ts';
import { billOfMaterials } from '../../src/bundle/packages/bill-of-materials.ts';
import { tree, writeFiles } from './tree.ts';

/** The same packages, installed in the layouts of the package managers, give the same bytes. */

const APP = {
  'package.json': '{"name":"vendor","version":"1.0.0","type":"module"}',
  'src/main.ts': `import { a } from 'a'; import b from '@scope/b'; import { help } from './help.ts'; export const app = { a, b, help };`,
  'src/help.ts': `import c from 'c'; export const help = c;`,
  'src/ui.ts': `import 'style/a.css'; import { a } from 'a'; export const ui = a;`,
};

const PACKAGES: Record<string, Record<string, string>> = {
  a: { 'index.js': `import c from 'c'; import { d, log } from 'd'; export const a = () => [c, d, log()];` },
  '@scope/b': {
    'index.js': `const c = require('c'); const { d } = require('d'); exports.d = d; module.exports = (name) => c.now + require('./lib/x.js') + require(\`./codecs/\${name}.js\`);`,
    'lib/x.js': 'module.exports = 1;',
    'codecs/y.js': 'module.exports = 2;',
  },
  c: { 'index.js': `exports.now = Date.now();` },
  // Modules of both kinds, and a file without effect that is left out.
  d: {
    'index.js': `import e from 'e'; import './unused.js'; export { log } from 'e/log.js'; export const d = e;`,
    'unused.js': 'globalThis.unused = 1;',
  },
  e: {
    'index.js': `module.exports = require('./log.js');`,
    'log.js': `exports.log = () => 'log'; exports.default = 1;`,
  },
  style: { 'a.css': 'p { color: red }' },
};
const DEPENDENCIES: Record<string, string[]> = {
  a: ['c', 'd'],
  '@scope/b': ['c', 'd'],
  c: [],
  d: ['e'],
  e: [],
  style: [],
};
/** Fields of package.json that the compiler reads. */
const FIELDS: Record<string, object> = { d: { type: 'module', sideEffects: false } };

function filesOf(name: string): Record<string, string> {
  return {
    ...PACKAGES[name],
    'package.json': JSON.stringify({ name, version: '1.0.0', license: 'MIT', ...FIELDS[name] }),
    LICENSE: `Copyright ${name}`,
  };
}

function place(folder: string, name: string): void {
  writeFiles(folder, filesOf(name));
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path, 'junction');
}

/** Installs all packages in `folder`, beside each other. */
function flat(folder: string): void {
  for (const name of Object.keys(PACKAGES)) place(join(folder, name), name);
}

/** Installs each package in a folder of a store, with links to what it imports. */
function stored(app: string, store: (name: string) => string): void {
  for (const [name, dependencies] of Object.entries(DEPENDENCIES)) {
    place(join(store(name), name), name);
    for (const other of dependencies) link(join(store(other), other), join(store(name), other));
    link(join(store(name), name), join(app, 'node_modules', name));
  }
}

/** Each layout installs the packages below a folder, and returns that of the app. */
const LAYOUTS: Record<string, (root: string) => string> = {
  flat(root) {
    flat(join(root, 'node_modules'));
    return root;
  },
  'the top of a workspace'(root) {
    flat(join(root, 'node_modules'));
    return join(root, 'packages/vendor');
  },
  'partly at the top of a workspace'(root) {
    const app = join(root, 'packages/vendor');
    flat(join(root, 'node_modules'));
    cpSync(join(root, 'node_modules/a'), join(app, 'node_modules/a'), { recursive: true });
    return app;
  },
  'copies beside each package that npm makes'(root) {
    flat(join(root, 'node_modules'));
    for (const name of ['c', 'd', 'e'])
      for (const owner of ['a', '@scope/b']) place(join(root, 'node_modules', owner, 'node_modules', name), name);
    return root;
  },
  'copies within copies'(root) {
    flat(join(root, 'node_modules'));
    for (const owner of ['a', '@scope/b']) {
      place(join(root, 'node_modules', owner, 'node_modules/d'), 'd');
      place(join(root, 'node_modules', owner, 'node_modules/d/node_modules/e'), 'e');
    }
    return root;
  },
  'a link to node_modules'(root) {
    flat(join(root, 'away/node_modules'));
    link(join(root, 'away/node_modules'), join(root, 'app/node_modules'));
    return join(root, 'app');
  },
  'a link to a folder above the app'(root) {
    const app = join(root, 'real/deep/app');
    flat(join(app, 'node_modules'));
    link(join(root, 'real/deep'), join(root, 'short'));
    return join(root, 'short/app');
  },
  'the virtual store of pnpm'(root) {
    stored(root, (name) => join(root, `node_modules/.pnpm/${name.replace('/', '+')}@1.0.0/node_modules`));
    return root;
  },
  'the global virtual store of pnpm'(root) {
    stored(join(root, 'app'), (name) => join(root, `store/v11/links/@/${name}/1.0.0/0a1b2c/node_modules`));
    return join(root, 'app');
  },
};

async function builtIn(layout: string, flags: object): Promise<{ checksum: string; sources: string; bill: string }> {
  const app = LAYOUTS[layout]!(tree());
  writeFiles(app, APP);
  const { checksum, provenance, materials } = await bundle({
    entry: join(app, 'src/main.ts'),
    ui: join(app, 'src/ui.ts'),
    traced: true,
    ...flags,
  });
  const bill = billOfMaterials(materials!, { name: 'vendor', version: '1.0.0', checksum });
  return { checksum, sources: provenance!().sources, bill: Buffer.from(bill).toString() };
}

test.each(Object.keys(LAYOUTS).slice(1))('%s gives the bytes of a flat node_modules', async (layout) => {
  for (const flags of [{}, { sourcemap: true }, { minify: true }])
    expect(await builtIn(layout, flags)).toEqual(await builtIn('flat', flags));
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fromPackage } from '../../src/cli/commands/from-package.ts';
import { VERSION } from '../../src/core/values/tool-version.ts';
import { folder } from '../support/folders.ts';

/** Commands of packages that may not be installed: the errors of Node.js itself, for imports from an empty folder. */

const here = folder();
const install = `npm install --global appreg@${VERSION} appreg-service@${VERSION}`;
const missing = { code: 'package-missing', hint: expect.stringContaining(install) };

/** Loads the package as Node.js does, without the resolution of these tests. */
writeFileSync(
  join(here, 'load.cjs'),
  "exports.imported = () => import('appreg-service');\nexports.required = async () => require('appreg-service');\n",
);
const { imported, required } = createRequire(import.meta.url)(join(here, 'load.cjs'));

test('returns the module of an installed package', async () => {
  expect(await fromPackage('appreg-service', Promise.resolve({ run: 1 }))).toEqual({ run: 1 });
});

test.each([
  ['import', imported],
  ['require', required],
])('says how to install a package that %s does not find', async (_, load) => {
  await expect(fromPackage('appreg-service', load())).rejects.toMatchObject(missing);
});

test("says how to install a package that Yarn's Plug'n'Play does not find", async () => {
  const text = 'appreg tried to access appreg-service (a peer dependency) but it is not provided by its ancestors';
  const error = Object.assign(new Error(text), { code: 'MODULE_NOT_FOUND' });
  await expect(fromPackage('appreg-service', Promise.reject(error))).rejects.toMatchObject(missing);
});

test('does not hide that an installed package is broken', async () => {
  const service = join(here, 'node_modules/appreg-service');
  mkdirSync(service, { recursive: true });
  writeFileSync(join(service, 'index.js'), "require('pg');\n");
  await expect(fromPackage('appreg-service', required())).rejects.toMatchObject({
    code: 'MODULE_NOT_FOUND',
    message: expect.stringContaining("'pg'"),
  });
  const thrown = new Error("Cannot find package 'appreg-service'");
  await expect(fromPackage('appreg-service', Promise.reject(thrown))).rejects.toBe(thrown);
});

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type * as Program from '../../src/bundle/esbuild-program.ts';
import { ESBUILD_VERSION, PORTABLE_PACKAGE, PROGRAM_PACKAGE } from '../../src/bundle/esbuild-program.ts';
import { tree } from './tree.ts';

const entry = join(tree({ 'main.ts': 'export {}' }), 'main.ts');

afterEach(() => {
  vi.doUnmock('../../src/bundle/esbuild-program.ts');
  vi.unstubAllEnvs();
});

/** The bundler with an esbuild that is invalid, or with other packages than are installed here. */
async function bundleWith(esbuild: () => object, packages: Partial<typeof Program> = {}) {
  vi.resetModules();
  vi.doMock('../../src/bundle/esbuild-program.ts', async (original) => ({
    ...(await original<typeof Program>()),
    ...packages,
  }));
  vi.doMock('esbuild', esbuild);
  vi.doMock('../../src/bundle/native.ts', () => ({ buildNative: async () => null }));
  const { bundle } = await import('../../src/bundle/bundle.ts');
  return bundle({ entry });
}

function failing(message: string): () => object {
  return () => ({
    build() {
      throw new Error(message);
    },
  });
}

describe('an unusable esbuild is reported with what to install', () => {
  test.each([
    [
      'installed without its binary',
      failing('The package "@esbuild/linux-x64" could not be found, and is needed by esbuild.'),
    ],
    [
      'installed for another system',
      failing("You installed esbuild for another platform than the one you're currently using."),
    ],
    ['of two versions', failing('Cannot start service: Host version "0.28.2" does not match binary version "0.27.0"')],
    ['impossible to start', failing('The service was stopped: spawn /x/esbuild EACCES')],
  ])('if it is %s', async (_, esbuild) => {
    await expect(bundleWith(esbuild)).rejects.toMatchObject({
      code: 'esbuild-unusable',
      exit: 2,
      hint: expect.stringContaining('npm install'),
    });
  });

  test('unless the error is unexpected, which is thrown unchanged', async () => {
    await expect(bundleWith(failing('Invalid option in build() call: "nonsense"'))).rejects.not.toHaveProperty('code');
  });
});

const works = () => import('esbuild');

/** The packages of esbuild that are installed, with their versions. */
const withPackages = (versions: Record<string, string>, portableApi?: typeof Program.portableApi) =>
  bundleWith(works, {
    installedVersion: (name) => versions[name] ?? null,
    ...(portableApi && { portableApi }),
  });

describe('the package with the program for this system', () => {
  test('is named if it is missing, and what replaces it', async () => {
    await expect(withPackages({})).rejects.toMatchObject({
      code: 'esbuild-unusable',
      message: expect.stringMatching(`is not installed: ${PROGRAM_PACKAGE}$`),
      hint: expect.stringMatching(`--include=optional.*${PORTABLE_PACKAGE}@${ESBUILD_VERSION}`),
    });
  });

  test('is refused in another version', async () => {
    await expect(withPackages({ [PROGRAM_PACKAGE]: '0.25.0' })).rejects.toMatchObject({
      code: 'esbuild-unusable',
      message: expect.stringContaining(`${PROGRAM_PACKAGE} is 0.25.0 instead of ${ESBUILD_VERSION}`),
    });
  });

  test('is replaced by the package that runs everywhere, in the same version only', async () => {
    const portableApi = vi.fn(() => nativeApi);
    const nativeApi = await works();
    await expect(withPackages({ [PORTABLE_PACKAGE]: '0.25.0' }, portableApi)).rejects.toMatchObject({ exit: 2 });
    expect(portableApi).not.toHaveBeenCalled();
    await expect(withPackages({ [PORTABLE_PACKAGE]: ESBUILD_VERSION }, portableApi)).resolves.toHaveProperty(
      'checksum',
    );
    expect(portableApi).toHaveBeenCalledOnce();
  });

  test('is not needed if ESBUILD_BINARY_PATH names a program', async () => {
    vi.stubEnv('ESBUILD_BINARY_PATH', '/a/program');
    await expect(withPackages({})).resolves.toHaveProperty('checksum');
  });
});

const manifest = (path: string) =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Record<
    'devDependencies' | 'optionalDependencies',
    Record<string, string>
  > & { version: string };

test('all packages of esbuild have the version of its API', () => {
  const esbuild = manifest('../../node_modules/esbuild/package.json');
  expect(esbuild.version).toBe(ESBUILD_VERSION);
  const ours = manifest('../../package.json');
  expect(ours.devDependencies['esbuild']).toBe(ESBUILD_VERSION);
  expect(ours.optionalDependencies).toEqual(esbuild.optionalDependencies);
});

test.skipIf(process.platform === 'win32')(
  'the error message of esbuild contains “service” if its binary fails, which identifies this case',
  () => {
    const script = `require('esbuild').build({ stdin: { contents: '' } }).catch((error) => console.log(error.message))`;
    const env = { ...process.env, ESBUILD_BINARY_PATH: '/bin/false' };
    const output = execFileSync(process.execPath, ['-e', script], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(output).toMatch(/service/);
  },
);

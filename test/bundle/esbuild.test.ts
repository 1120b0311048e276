import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { tree } from './tree.ts';

const entry = join(tree({ 'main.ts': 'export {}' }), 'main.ts');

/** The bundler with an esbuild that is invalid. */
async function bundleWith(esbuild: () => object) {
  vi.resetModules();
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

describe('an unusable esbuild is reported with the command that installs it', () => {
  test.each([
    [
      'not installed',
      () => {
        throw Object.assign(new Error(`Cannot find package 'esbuild'`), { code: 'ERR_MODULE_NOT_FOUND' });
      },
    ],
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

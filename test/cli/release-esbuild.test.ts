import type { BuildOptions, BuildResult } from 'esbuild';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { writeFiles } from '../bundle/tree.ts';
import { repository, releaseIn, sources, statesOf, textOf } from './release-fixture.ts';

type Version = '0.25.12' | '0.28.2';

/** The version of esbuild that builds. */
const installed = vi.hoisted((): { version: Version } => ({ version: '0.28.2' }));

vi.mock('esbuild', async (original) => {
  const programs: Record<Version, Pick<typeof import('esbuild'), 'version' | 'build'>> = {
    '0.25.12': await import('esbuild-0.25'),
    '0.28.2': await original<typeof import('esbuild')>(),
  };
  return {
    get version() {
      return programs[installed.version].version;
    },
    build: async (options: BuildOptions): Promise<BuildResult> => programs[installed.version].build(options),
  };
});

// With a path to its executable, its API is always used.
beforeAll(() => void vi.stubEnv('ESBUILD_BINARY_PATH', ''));
afterAll(() => void vi.unstubAllEnvs());

// The helper that esbuild adds for CommonJS modules differs between these versions.
const FILES = {
  ...sources({ clock: '1.0.0', lamp: '1.0.0' }),
  'src/clock/main.ts': "import value from './value.cjs';\nexport const app = value;\n",
  'src/clock/value.cjs': 'module.exports = 1;\n',
};

test.each<[Version, Version]>([
  ['0.25.12', '0.28.2'],
  ['0.28.2', '0.25.12'],
])('an app that esbuild %s built is rebuilt by %s, and changed with other sources', async (before, after) => {
  installed.version = before;
  const root = await repository(FILES, { listed: ['clock', 'lamp'] });
  const first = await releaseIn(root);
  expect(first).toMatchObject({ code: 0, report: { summary: { new: 2, published: 2 } } });
  expect(textOf(root, 'appreg.lock.json')).toContain(`"esbuild":"${before}"`);
  expect(statesOf(await releaseIn(root, { check: true }))).toEqual({ clock: 'unchanged', lamp: 'unchanged' });

  installed.version = after;
  const again = await releaseIn(root);
  expect(again).toMatchObject({ code: 0, report: { outcome: 'clean', summary: { rebuilt: 1, published: 0 } } });
  // Without CommonJS both versions write the same bytes.
  expect(statesOf(again)).toEqual({ clock: 'rebuilt', lamp: 'unchanged' });
  expect(again.apps['clock']?.listedChecksum).toBe(first.apps['clock']?.checksum);
  expect(again.apps['clock']?.checksum).not.toBe(first.apps['clock']?.checksum);

  writeFiles(root, { 'src/clock/value.cjs': 'module.exports = 2;\n' });
  expect(statesOf(await releaseIn(root, { check: true, app: ['clock'] }))).toEqual({ clock: 'changed' });
});

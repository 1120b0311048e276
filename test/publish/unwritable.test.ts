import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { snapshot } from '../cli/author-support.ts';
import { launcherWithoutPrivileges } from '../support/broken-files.ts';
import { buildInto } from '../support/built.ts';
import { folder, git } from '../support/folders.ts';
import { openSharedProcess } from '../support/shared-process.ts';
import { tgz, entry } from '../support/tar-builder.ts';

/** A file that cannot be written ends a plan before its first step, and its dry run in the same way. */

const launcher = launcherWithoutPrivileges();
const built = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-unwritable-'));
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
const appreg = openSharedProcess(join(built, 'dist/node/main.cjs'), { launcher: launcher ?? [] });
let prepared = '';

async function run(cwd: string, words: readonly string[]): Promise<{ status: number; stderr: string }> {
  const { code, output } = await appreg.run(words, { cwd });
  return { status: code, stderr: output };
}

const ADD = ['--name', 'B', '--description', 'An app.', '--icon', 'i.svg', '--color', '#112233'];

beforeAll(async () => {
  await buildInto(built);
  prepared = folder();
  writeFileSync(join(prepared, 'i.svg'), SVG);
  writeFileSync(join(prepared, 'a.tar.gz'), tgz(entry('app.js', 'export default 1;\n')));
  writeFileSync(join(prepared, 'main.ts'), 'export default 1;\n');
  for (const words of [
    ['init', '--base-url', 'https://apps.example.com/'],
    ['add-app', 'a', ...ADD],
  ])
    expect(await run(prepared, words)).toMatchObject({ status: 0 });
  const publish = ['publish-version', 'a', '1.0.0', '--artifact', 'a.tar.gz', '--notes', 'First.', '--no-read-back'];
  expect(await run(prepared, publish)).toMatchObject({ status: 0 });
  writeFileSync(join(prepared, 'a.tar.gz'), tgz(entry('app.js', 'export default 2;\n')));
}, 120_000);
afterAll(() => {
  appreg.close();
  rmSync(built, { recursive: true, force: true });
});

const PUBLISH = ['publish-version', 'a', '1.1.0', '--artifact', 'a.tar.gz', '--no-read-back'];
const NOTES = [...PUBLISH, '--notes', 'Second.'];
const DEPRECATE = ['deprecate', 'a', '1.0.0', '--reason', 'broken', '--message', 'Broken.'];
const NEW = ['add-app', 'b', ...ADD];
const ICON = ['edit-app', 'a', '--name', 'Other', '--icon', 'new.svg', '--homepage', 'https://a.example/'];

const readOnly = (path: string) => (dir: string) => chmodSync(join(dir, path), 0o444);
const closed = (path: string) => (dir: string) => chmodSync(join(dir, path), 0o555);
const asFile = (path: string) => (dir: string) => {
  rmSync(join(dir, path), { recursive: true, force: true });
  writeFileSync(join(dir, path), '');
};

describe.skipIf(process.platform === 'win32' || launcher === null).each([
  { words: PUBLISH, what: 'a read-only metadata file', spoil: readOnly('apps/a/versions.json') },
  { words: PUBLISH, what: 'a folder of artifacts that is not writable', spoil: closed('apps/a/versions') },
  { words: PUBLISH, what: 'a folder of metadata that is not writable', spoil: closed('apps/a') },
  { words: PUBLISH, what: 'a file in place of the folder of artifacts', spoil: asFile('apps/a/versions') },
  { words: NOTES, what: 'a read-only about file', spoil: readOnly('apps/a/versions.about.json') },
  { words: DEPRECATE, what: 'a read-only about file', spoil: readOnly('apps/a/versions.about.json') },
  { words: NEW, what: 'a read-only manifest', spoil: readOnly('registry.json') },
  { words: NEW, what: 'a folder of apps that is not writable', spoil: closed('apps') },
  { words: NEW, what: 'a file in place of the folder of the app', spoil: asFile('apps/b') },
  { words: NEW, what: 'a folder of the manifest that is not writable', spoil: closed('.') },
  { words: ICON, what: 'a read-only manifest', spoil: readOnly('registry.json') },
  { words: ICON, what: 'a read-only about file', spoil: readOnly('apps/a/versions.about.json') },
  { words: ['remove-app', 'a', '--yes'], what: 'a read-only manifest', spoil: readOnly('registry.json') },
])('$words.0 with $what', ({ words, spoil }) => {
  test('writes nothing, and the dry run says the same', async () => {
    const dir = folder();
    cpSync(prepared, dir, { recursive: true });
    writeFileSync(join(dir, 'new.svg'), SVG.replace('"8"', '"16"'));
    spoil(dir);
    const before = snapshot(dir);
    const planned = await run(dir, [...words, '--dry-run']);
    const real = await run(dir, words);
    expect(planned, planned.stderr).toMatchObject({ status: 2 });
    expect(real, real.stderr).toMatchObject({ status: 2 });
    expect(planned.stderr).toMatch(/read-only|permission is denied|not a folder/);
    expect(real.stderr.split('. ')[0]).toBe(planned.stderr.split('. ')[0]);
    expect(snapshot(dir)).toBe(before);
    chmodSync(dir, 0o755);
  });
});

describe.skipIf(process.platform === 'win32' || launcher === null)('other files', () => {
  test('a lock file that is not in the store is tested before the version is stored there', async () => {
    const remote = folder();
    git(remote, 'init', '--quiet', '--bare');
    const dir = folder();
    cpSync(prepared, dir, { recursive: true });
    for (const path of ['apps', 'registry.json', 'appreg.config.json']) rmSync(join(dir, path), { recursive: true });
    const store = ['--store', 'git', '--remote', remote, '--base-url', 'https://apps.example.com/'];
    expect(await run(dir, ['init', ...store])).toMatchObject({ status: 0 });
    expect(await run(dir, ['add-app', 'a', ...ADD])).toMatchObject({ status: 0 });
    writeFileSync(join(dir, 'appreg.lock.json'), '{ "lock": 1, "apps": {} }\n');
    readOnly('appreg.lock.json')(dir);
    const before = git(remote, 'rev-parse', 'gh-pages');
    for (const words of [[...PUBLISH, '--dry-run'], PUBLISH])
      expect(await run(dir, words)).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/appreg\.lock\.json is read-only/),
      });
    expect(git(remote, 'rev-parse', 'gh-pages')).toBe(before);
    chmodSync(join(dir, 'appreg.lock.json'), 0o644);
    chmodSync(join(remote, 'objects'), 0o555);
    for (const words of [[...PUBLISH, '--dry-run'], PUBLISH])
      expect(await run(dir, words)).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/objects is not writable/),
      });
    chmodSync(join(remote, 'objects'), 0o755);
    expect(await run(dir, PUBLISH)).toMatchObject({ status: 0 });
  });

  test('release refuses the app in both runs, and bump its version file', async () => {
    const dir = folder();
    cpSync(prepared, dir, { recursive: true });
    const config = JSON.parse(readFileSync(join(dir, 'appreg.config.json'), 'utf8')) as object;
    const release = [{ folder: 'src/*', entry: 'main.ts', version: 'VERSION' }];
    writeFileSync(join(dir, 'appreg.config.json'), JSON.stringify({ ...config, release }));
    mkdirSync(join(dir, 'src/a'), { recursive: true });
    writeFileSync(join(dir, 'src/a/main.ts'), 'export default 2;\n');
    writeFileSync(join(dir, 'src/a/VERSION'), '1.1.0\n');
    readOnly('apps/a/versions.json')(dir);
    const before = snapshot(dir);
    for (const words of [['release', '--dry-run'], ['release']])
      expect(await run(dir, words)).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/apps\/a\/versions\.json is read-only/),
      });
    expect(snapshot(dir)).toBe(before);
    expect(await run(dir, ['release', '--check'])).toMatchObject({ status: 0 });
    writeFileSync(join(dir, 'src/a/VERSION'), '1.0.0\n');
    readOnly('src/a/VERSION')(dir);
    for (const words of [
      ['release', '--bump', '--dry-run'],
      ['release', '--bump'],
    ])
      expect(await run(dir, words)).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/src\/a\/VERSION is read-only/),
      });
  });

  test('init writes no file if one of them cannot be written', async () => {
    const dir = folder();
    mkdirSync(join(dir, '.github'));
    closed('.github')(dir);
    const { status, stderr } = await run(dir, ['init', '--base-url', 'https://apps.example.com/', '--ci', 'github']);
    expect(status, stderr).toBe(2);
    expect(existsSync(join(dir, 'registry.json'))).toBe(false);
    expect(existsSync(join(dir, 'appreg.config.json'))).toBe(false);
  });

  test('bundle writes no archive without its bill of materials', async () => {
    const dir = folder();
    cpSync(prepared, dir, { recursive: true });
    writeFileSync(join(dir, 'x.tar.gz.cdx.json'), 'mine');
    readOnly('x.tar.gz.cdx.json')(dir);
    const { status, stderr } = await run(dir, ['bundle', 'main.ts', 'x.tar.gz', '--sbom']);
    expect(status, stderr).toBe(2);
    expect(existsSync(join(dir, 'x.tar.gz'))).toBe(false);
    expect(readFileSync(join(dir, 'x.tar.gz.cdx.json'), 'utf8')).toBe('mine');
  });
});

import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runAssemble } from '../../src/cli/commands/assemble.ts';
import { SVG } from '../support/live-registry.ts';
import { json, openFaultHost } from '../support/fault-host.ts';
import { commitAll, write, folder } from '../support/folders.ts';
import { contextIn, refusal, snapshot } from './author-support.ts';

const APP = { name: 'Clock', description: 'Tells the time.', color: '#1864ab' };

/** A workspace with these apps. */
function workspace(keys: string[], store: object = { type: 'directory' }): string {
  const root = folder();
  write(root, {
    'appreg.config.json': { baseUrl: 'https://apps.example.com/', store },
    'registry.json': '{\n  "apps": {}\n}\n',
    'apps/README.md': 'How to add an app.',
  });
  for (const key of keys) writeApp(root, key);
  return root;
}

function writeApp(root: string, key: string, more: object = {}): void {
  write(root, { [`apps/${key}/app.json`]: { ...APP, name: `The ${key}`, ...more }, [`apps/${key}/logo.svg`]: SVG });
}

const read = (root: string, path: string): any => JSON.parse(readFileSync(join(root, path), 'utf8'));

describe('assembling into a folder', () => {
  test('writes the manifest and the metadata files, and changes nothing when it runs again', async () => {
    const root = workspace(['watch', 'clock']);
    const context = contextIn(root);
    expect(await runAssemble(context, {})).toBe(0);
    expect(context.printed.out).toEqual(['assembled registry.json from 2 apps\n  added clock, watch']);
    expect(Object.keys(read(root, 'registry.json').apps)).toEqual(['clock', 'watch']);
    expect(read(root, 'registry.json').apps.clock.blockStyle.iconUrl).toBe(
      'https://apps.example.com/apps/clock/logo.svg',
    );
    expect(read(root, 'apps/clock/versions.json')).toEqual({ versions: [] });
    const before = snapshot(root);
    const again = contextIn(root);
    expect(await runAssemble(again, {})).toBe(0);
    expect(again.printed.out).toEqual(['registry.json is already up to date (2 apps); nothing to do']);
    expect(snapshot(root)).toBe(before);
  });

  test.each(['--dry-run', '--check'])('%s writes nothing', async (flag) => {
    const root = workspace(['clock']);
    const before = snapshot(root);
    expect(await runAssemble(contextIn(root), flag === '--check' ? { check: true } : { dryRun: true })).toBe(0);
    expect(snapshot(root)).toBe(before);
  });

  test('prints its result as JSON', async () => {
    const root = workspace(['clock']);
    const context = contextIn(root, { format: 'json' });
    await runAssemble(context, { format: 'json' });
    expect(JSON.parse(context.printed.out.join(''))).toMatchObject({
      status: 'assembled',
      apps: 1,
      added: ['clock'],
      changed: [],
      removed: [],
      steps: [
        { kind: 'create', path: 'apps/clock/versions.json' },
        { kind: 'edit', path: 'registry.json' },
      ],
    });
  });

  test.each<{ name: string; change: (root: string) => void; words: RegExp }>([
    {
      name: 'a missing app.json',
      change: (root) => rmSync(join(root, 'apps/clock/app.json')),
      words: /apps\/clock\/app\.json: the file does not exist/,
    },
    {
      name: 'a missing folder',
      change: (root) => rmSync(join(root, 'apps/clock'), { recursive: true }),
      words: /apps\/clock\/app\.json does not exist/,
    },
    {
      name: 'broken JSON',
      change: (root) => write(root, { 'apps/clock/app.json': '{' }),
      words: /apps\/clock\/app\.json:1:2: /,
    },
    {
      name: 'an invalid color',
      change: (root) => writeApp(root, 'clock', { color: 'red' }),
      words: /apps\/clock\/app\.json:4:12: .*color-malformed/,
    },
    {
      name: 'an invalid metadata URL',
      change: (root) => writeApp(root, 'clock', { appMetadataUrl: 'x' }),
      words: /apps\/clock\/app\.json:5:21: .*url-malformed/,
    },
    {
      name: 'an HTML page as its icon',
      change: (root) => write(root, { 'apps/clock/logo.svg': '<!doctype html><html></html>' }),
      words: /apps\/clock\/logo\.svg cannot be an icon/,
    },
    {
      name: 'a PNG icon that is named .svg',
      change: (root) =>
        write(root, {
          'apps/clock/logo.svg': Buffer.from(
            'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
            'base64',
          ),
        }),
      words: /apps\/clock\/logo\.svg contains a PNG image/,
    },
    {
      name: 'an unsafe key',
      change: (root) => writeApp(root, 'my clock'),
      words: /apps\/my clock: .*is not a valid app key/,
    },
    { name: 'a key that is a device name', change: (root) => writeApp(root, 'CON'), words: /device name/ },
  ])('an app with $name is refused with the path of its file, and nothing is changed', async ({ change, words }) => {
    const root = workspace(['clock', 'watch']);
    await runAssemble(contextIn(root), {});
    change(root);
    const before = snapshot(root);
    const error = await refusal(runAssemble(contextIn(root), {}));
    expect(error).toMatchObject({ code: 'apps-invalid', exit: 1 });
    expect(error.message).toMatch(words);
    expect(error.message).toContain('Nothing was changed.');
    expect(snapshot(root)).toBe(before);
  });

  test.skipIf(process.platform === 'win32').each(['app.json', 'logo.svg'])(
    'a symbolic link in place of %s is not followed',
    async (name) => {
      const root = workspace(['clock']);
      const elsewhere = folder();
      write(elsewhere, { secret: name === 'app.json' ? APP : SVG });
      const secret = join(elsewhere, 'secret');
      rmSync(join(root, 'apps/clock', name));
      symlinkSync(secret, join(root, 'apps/clock', name));
      const error = await refusal(runAssemble(contextIn(root), { check: true }));
      expect(error.exit).toBe(1);
      expect(error.message).toContain(`apps/clock/${name} is not a regular file`);
    },
  );

  test('--remove removes the named app', async () => {
    const root = workspace(['clock', 'watch']);
    await runAssemble(contextIn(root), {});
    rmSync(join(root, 'apps/watch'), { recursive: true });
    expect(await runAssemble(contextIn(root), { remove: ['watch'] })).toBe(0);
    expect(Object.keys(read(root, 'registry.json').apps)).toEqual(['clock']);
  });

  test.each([{}, { check: true, against: 'registry.json' }])(
    '--remove refuses a key that is neither listed nor a folder, with %j',
    async (options) => {
      const root = workspace(['clock', 'watch']);
      await runAssemble(contextIn(root), {});
      rmSync(join(root, 'apps/watch'), { recursive: true });
      const before = snapshot(root);
      const error = await refusal(runAssemble(contextIn(root), { ...options, remove: ['wacth'] }));
      expect(error).toMatchObject({ code: 'app-unknown', exit: 2, hint: 'App keys are case-sensitive.' });
      expect(error.message).toContain('“wacth” is not listed in registry.json. Did you mean watch?');
      expect(snapshot(root)).toBe(before);
    },
  );

  test.each([{}, { check: true }])('a file in place of the folder apps/ is refused, with %j', async (options) => {
    const root = workspace([]);
    rmSync(join(root, 'apps'), { recursive: true });
    write(root, { apps: '' });
    expect(await refusal(runAssemble(contextIn(root), options))).toMatchObject({
      code: 'not-a-folder',
      exit: 2,
      summary: `${join(root, 'apps')} is not a folder.`,
    });
  });

  test('--check --against reports an app that is listed there and has no folder', async () => {
    const root = workspace(['clock', 'watch']);
    await runAssemble(contextIn(root), {});
    execFileSync('git', ['init', '--quiet', '-b', 'main'], { cwd: root });
    commitAll(root);
    const before = folder();
    cpSync(root, before, { recursive: true });
    rmSync(join(root, 'apps/watch'), { recursive: true });
    const host = await openFaultHost();
    try {
      host.on('/registry.json', json(read(before, 'registry.json')));
      host.on('/none.json', json({}));
      expect(await runAssemble(contextIn(root), { check: true })).toBe(0);
      for (const against of ['HEAD', 'main', before, 'registry.json', `${host.origin}/registry.json`]) {
        const check = { check: true, against };
        const error = await refusal(runAssemble(contextIn(root), check));
        expect(error).toMatchObject({ code: 'apps-invalid', exit: 1 });
        expect(error.message).toContain(`apps/watch/app.json does not exist, but ${against} lists the app`);
        expect(await runAssemble(contextIn(root), { ...check, remove: ['watch'] })).toBe(0);
        expect(await runAssemble(contextIn(before), check)).toBe(0);
      }
      // Only the manifest is requested, none of the files that it refers to.
      expect(new Set(host.requests.map(({ path }) => path))).toEqual(new Set(['/registry.json']));
      for (const against of ['nowhere', `${host.origin}/none.json`, `${host.origin}/gone.json`])
        expect(await refusal(runAssemble(contextIn(root), { check: true, against }))).toMatchObject({ exit: 2 });
    } finally {
      await host.close();
    }
  });

  test.each([{ check: true, dryRun: true }, { against: 'main' }, { check: true, remove: ['x'] }])(
    'the options %j are a usage error',
    async (options) => {
      expect(await refusal(runAssemble(contextIn(workspace([])), options))).toMatchObject({ exit: 2 });
    },
  );
});

test('a git store receives the icons as well, and a changed icon replaces the stored one', async () => {
  const remote = folder();
  execFileSync('git', ['init', '--quiet', '--bare', remote]);
  const root = workspace(['clock'], { type: 'git', remote, branch: 'gh-pages' });
  const shown = (path: string): string =>
    execFileSync('git', ['-C', remote, 'show', `gh-pages:${path}`], { encoding: 'utf8' });
  expect((await refusal(runAssemble(contextIn(root), {}))).code).toBe('manifest-missing');
  const { runInit } = await import('../../src/cli/commands/init.ts');
  await runInit(contextIn(folder()), undefined, { baseUrl: 'https://apps.example.com/', store: 'git', remote });
  await runAssemble(contextIn(root), {});
  expect(Object.keys(JSON.parse(shown('registry.json')).apps)).toEqual(['clock']);
  expect(shown('apps/clock/logo.svg')).toBe(SVG);
  // The same number of bytes, as a changed colour has.
  const other = SVG.replace('width="8"', 'width="9"');
  write(root, { 'apps/clock/logo.svg': other });
  const context = contextIn(root);
  await runAssemble(context, { dryRun: true });
  expect(context.printed.out.join('\n')).toContain('replace apps/clock/logo.svg');
  await runAssemble(contextIn(root), {});
  expect(shown('apps/clock/logo.svg')).toBe(other);
});

test('150 apps are added in one commit, and another run adds no commit', async () => {
  const remote = folder();
  execFileSync('git', ['init', '--quiet', '--bare', remote]);
  // As hosts of git are configured.
  execFileSync('git', ['-C', remote, 'config', 'uploadpack.allowFilter', 'true']);
  execFileSync('git', ['-C', remote, 'config', 'uploadpack.allowAnySHA1InWant', 'true']);
  const store = { type: 'git', remote: `file://${remote}`, branch: 'pages' };
  const root = workspace(
    Array.from({ length: 150 }, (_, i) => `app-${i}`),
    store,
  );
  const { runInit } = await import('../../src/cli/commands/init.ts');
  await runInit(contextIn(folder()), undefined, {
    baseUrl: 'https://apps.example.com/',
    store: 'git',
    remote: store.remote,
    branch: store.branch,
  });
  const commits = (): string =>
    execFileSync('git', ['-C', remote, 'log', '--format=%s', 'pages'], { encoding: 'utf8' });
  await runAssemble(contextIn(root), {});
  expect(commits()).toBe('Add 150 apps\nCreate the registry\n');
  for (let i = 0; i < 150; i += 50) writeApp(root, `app-${i}`, { name: 'Other' });
  write(root, { 'apps/app-7/logo.svg': SVG.replace('width="8"', 'width="9"') });
  await runAssemble(contextIn(root), {});
  expect(commits().split('\n').slice(0, 2)).toEqual(['Update apps app-0, app-100, app-50', 'Add 150 apps']);
  const again = contextIn(root);
  await runAssemble(again, {});
  expect(again.printed.out.join()).toContain('nothing to do');
}, 60_000);

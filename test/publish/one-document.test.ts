import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../store/scratch.ts';
import { openPlaces, type Places, succeeds } from '../support/places.ts';
import { publish } from '../support/storm.ts';

/** With a machine format, stdout contains one document after any error; and the files of killed runs are removed. */

let places: Places;
beforeAll(async () => {
  places = await openPlaces();
}, 120_000);
afterAll(() => places.close());

/** Each command with valid arguments. */
const COMMANDS: [name: string, words: string[]][] = [
  ['init', ['x', '--base-url', 'https://x.example/']],
  ['add-app', ['b', '--name', 'B', '--description', 'An app.', '--icon', 'i.svg', '--color', '#112233']],
  ['assemble', []],
  ['bundle', ['main.js', 'x.tar.gz']],
  ['checksum', ['missing.tar.gz']],
  ['publish-version', ['a', '9.0.0', '--artifact', 'missing.tar.gz']],
  ['lint', []],
  ['verify', ['http://127.0.0.1:9/r.json']],
  ['diagnose', ['http://127.0.0.1:9/r.json']],
  ['lock', ['missing']],
  ['mirror', ['http://127.0.0.1:9/r.json', 'copy', '--base-url', 'https://x.example/']],
  ['diff', ['missing']],
  ['judge', ['missing.json']],
  ['subscribe', ['http://127.0.0.1:9/r.json', '--service', 'http://127.0.0.1:9/', '--name', 'A']],
  ['serve', ['missing']],
  ['completion', ['tcsh']],
];

describe('with a machine format, stdout contains one document for errors of', () => {
  test.each(COMMANDS)(
    '%s',
    async (name, words) => {
      const { storm } = await places.opened('folder');
      const broken = join(mkdtempSync(join(tmpdir(), 'appreg-document-')), 'appreg.config.json');
      writeFileSync(broken, '{ "baseUrl": 7 }');
      const kinds: [kind: string, words: string[]][] = [
        ['its arguments', [name, ...words]],
        ['an unknown option', [name, ...words, '--no-such-option']],
        ['too many or too few arguments', name === 'serve' ? [name, 'missing', 'more'] : [name]],
        ['a broken configuration', [name, ...words, '--config', broken]],
        ['an unknown rule', [name, ...words, '--rule', 'no-such-rule=error']],
      ];
      for (const [kind, line] of kinds) {
        const { code, stdout, stderr } = await storm.runShared(['--format', 'json', ...line], { APPREG_CACHE: '' });
        if (code === 0) continue;
        const label = `${name}, ${kind}: ${stderr}`;
        expect([1, 2], label).toContain(code);
        const document = JSON.parse(stdout) as Record<string, unknown>;
        expect(document, label).toMatchObject(
          'findings' in document || 'outcome' in document || 'problems' in document ? {} : { error: expect.anything() },
        );
        expect(stderr, label).not.toContain('internal error');
      }
      rmSync(join(broken, '..'), { recursive: true });
    },
    60_000,
  );

  test('an unknown command with --format as its last option', async () => {
    const { storm } = await places.opened('folder');
    const unknown = await storm.runShared(['publsh', '--format=json']);
    expect(unknown.code).toBe(2);
    expect(JSON.parse(unknown.stdout)).toMatchObject({ command: 'publsh', error: { code: 'usage', exit: 2 } });
  });

  test('an output file that cannot be written', async () => {
    const { storm } = await places.opened('folder');
    const { code, stdout } = await storm.runShared(['lint', '--format', 'json', '--output', 'missing/x.json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'incomplete' });
  });
});

describe('a store that loses writes despite a success response', () => {
  test.each([
    ['keep-old', 'write-lost'],
    ['keep-other', 'write-lost'],
  ] as const)(
    'is reported for the failure %s after a few attempts, with what is stored',
    async (mishap, error) => {
      const { arena, storm } = await places.opened('bucket in memory');
      const { file } = storm.artifact();
      const before = (await arena.get('apps/a/versions.json'))!;
      arena.objects!.mishapOf = (key) => (key.endsWith('versions.json') ? mishap : undefined);
      const from = arena.objects!.requests.length;
      const { code, stdout, stderr } = await storm.runShared([...publish('patch', file), '--format', 'json']);
      expect(code, stderr).toBe(2);
      expect(JSON.parse(stdout)).toMatchObject({
        error: { code: error },
        written: { notStored: ['apps/a/versions.json'] },
      });
      expect(stderr).toMatch(/did not keep the write.*\n?.*Stored: apps\/a\/versions\//);
      expect(arena.objects!.requests.length - from).toBeLessThan(60);
      arena.objects!.mishapOf = () => undefined;
      const { etag, generation, headers } = arena.objects!.objects.get('registry/apps/a/versions.json')!;
      arena.objects!.objects.set('registry/apps/a/versions.json', { bytes: before, etag, generation, headers });
      await succeeds(storm, file);
    },
    60_000,
  );

  test('is not reported as unchanged after the probe was written', async () => {
    const { arena, storm } = await places.opened('bucket in memory');
    const { file } = storm.artifact();
    arena.objects!.mishapOf = (key) => (key.endsWith('.tar.gz') ? '403' : undefined);
    const cache = mkdtempSync(join(tmpdir(), 'appreg-cache-'));
    const { code, stderr } = await storm.runShared(publish('patch', file), { XDG_CACHE_HOME: cache });
    arena.objects!.mishapOf = () => undefined;
    rmSync(cache, { recursive: true });
    expect(code).toBe(2);
    expect(stderr).not.toContain('Nothing was changed');
    expect(stderr).toMatch(/\.appreg-probe\.txt was written/);
  }, 60_000);
});

/** Locks and temporary files. */
const hidden = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(lock|tmp)$/.test(path));

describe('files of a killed run', () => {
  test.each(['locked', 'after-rename', 'before-unlock', 'after-link', 'half-written'])(
    'are removed from a folder by the next run, also if it has nothing to write, after %s',
    async (step) => {
      const { arena, storm } = await places.opened('folder');
      const { file } = storm.artifact(1000);
      const killed = await storm.run(publish('patch', file), { APPREG_FAILPOINT: step });
      expect(killed.signal).toBe('SIGKILL');
      await succeeds(storm, file);
      expect(hidden(arena.root)).toEqual([]);
    },
    60_000,
  );

  test('are preserved if they are the lock of a running process', async () => {
    const { arena, storm } = await places.opened('folder');
    const { file } = storm.artifact();
    const { child } = storm.start(publish('patch', file), { APPREG_FAILPOINT: 'locked:SIGSTOP' });
    await waitUntil(() => hidden(arena.root).some((path) => path.endsWith('.lock')));
    await storm.runShared([
      'add-app',
      'a',
      '--name',
      'a',
      '--description',
      'An app.',
      '--icon',
      'i.svg',
      '--color',
      '#112233',
    ]);
    expect(hidden(arena.root).some((path) => path.endsWith('.lock'))).toBe(true);
    child.kill('SIGKILL');
  }, 60_000);

  test('are removed by the next run if they are a temporary clone of git', async () => {
    const { storm } = await places.opened('git');
    const temporary = mkdtempSync(join(tmpdir(), 'appreg-clones-'));
    mkdirSync(join(temporary, 'appreg-git-other'));
    const { file } = storm.artifact();
    await storm.run(publish('patch', file), { APPREG_FAILPOINT: 'before-send', TMPDIR: temporary });
    expect(readdirSync(temporary).length).toBe(2);
    expect((await storm.run(publish('patch', file), { TMPDIR: temporary })).code).toBe(0);
    expect(readdirSync(temporary)).toEqual(['appreg-git-other']);
    expect(existsSync(temporary)).toBe(true);
    rmSync(temporary, { recursive: true });
  }, 60_000);
});

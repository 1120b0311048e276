// Scenario: a repository of 15 apps with shared code lives through 30 commits, in a folder, in git and in a bucket.
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReleaseReport } from '../../src/core/release/report.ts';
import type { Kind } from '../support/arena.ts';
import { commitAll, git, write } from '../support/folders.ts';
import { openPlaces, type Places } from '../support/places.ts';

/**
 * Commits as they are made to a repository of apps: features, merges, hotfixes, reverts, texts, removed folders; and
 * pipelines that are killed, run twice, or may not write. After each, every app has the right state.
 */

let places: Places;
beforeAll(async () => {
  places = await openPlaces();
}, 120_000);
afterAll(() => places.close());

/** Five apps for each of three shared files. */
const KEYS = Array.from({ length: 15 }, (_, at) => `app-${String(at + 1).padStart(2, '0')}`);
const LIBRARIES = ['text', 'time', 'units'];
const libraryOf = (key: string): string => LIBRARIES[Math.floor(KEYS.indexOf(key) / 5)] ?? 'text';
const usersOf = (library: string): string[] => KEYS.filter((key) => libraryOf(key) === library);

const svg = (element: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><${element} width="8" height="8"/></svg>\n`;

type Files = Record<string, string>;

function sharedCode(library: string, code: string): Files {
  return { [`lib/${library}.ts`]: `export const ${library} = '${code}';\n` };
}

function code(key: string, text: string): Files {
  const library = libraryOf(key);
  const lines = [
    `import { ${library} } from '../../lib/${library}.ts';`,
    `export const app = ['${text}', ${library}];`,
  ];
  return { [`src/${key}/main.ts`]: `${lines.join('\n')}\n` };
}

function version(key: string, text: string): Files {
  return { [`src/${key}/VERSION`]: `${text}\n` };
}

function texts(key: string, changed: object = {}): Files {
  const described = { name: `App ${key}`, description: `Does ${key}.`, color: '#112233', ...changed };
  return { [`src/${key}/app.json`]: `${JSON.stringify(described, null, 2)}\n` };
}

function newApp(key: string): Files {
  return { ...code(key, key), ...version(key, '1.0.0'), ...texts(key), [`src/${key}/icon.svg`]: svg('rect') };
}

interface Expected {
  /** The states of the apps that are not unchanged. */
  states?: Record<string, string>;
  /** The apps with changed texts. */
  changedTexts?: string[];
  conflicts?: string[];
  /** Listed apps without a folder, besides the one of another repository. */
  withoutFolder?: string[];
  /** The exit code (default: 0). */
  code?: number;
}

interface Life {
  root: string;
  /** Writes files, and commits them with everything else. @returns the commit */
  commit(files?: Files): string;
  /** Checks, and then publishes, which both have to say the same; then the registry is complete. */
  released(expected: Expected, args?: readonly string[]): Promise<ReleaseReport>;
  /** The check alone, such as for a pull request. */
  checked(expected: Expected, args?: readonly string[]): Promise<ReleaseReport>;
  /** The versions of an app, as they are listed. */
  versionsOf(key: string): Promise<string[]>;
  entryOf(key: string): Promise<{ name: string; blockStyle: { color: string } }>;
}

function statesIn({ apps }: ReleaseReport): Record<string, string> {
  return Object.fromEntries(apps.flatMap(({ key, state }) => (state === 'unchanged' ? [] : [[key, state]])));
}

function shown(report: ReleaseReport): Expected {
  const named = (is: (app: ReleaseReport['apps'][number]) => boolean): string[] =>
    report.apps.filter(is).map(({ key }) => key);
  return {
    states: statesIn(report),
    changedTexts: named(({ changes }) => changes.fields.length > 0 || changes.icon !== null),
    conflicts: named(({ changes }) => changes.conflicts.length > 0),
    withoutFolder: report.withoutFolder.map(({ key }) => key).filter((key) => key !== 'a'),
  };
}

/** For a process of its own, which has no packages beside it. */
const ENV = { NODE_PATH: join(process.cwd(), 'node_modules') };

type Opened = Awaited<ReturnType<Places['opened']>>;

async function openLife({ arena, storm }: Opened): Promise<Life> {
  const { root } = arena;
  const path = join(root, 'appreg.config.json');
  const config = JSON.parse(readFileSync(path, 'utf8'));
  write(root, {
    'appreg.config.json': { ...config, release: [{ folder: 'src/*', entry: 'main.ts', version: 'VERSION' }] },
  });
  git(root, 'init', '--quiet', '-b', 'main');
  const json = async (name: string): Promise<unknown> => JSON.parse(String(await arena.get(name)));
  const run = async (args: readonly string[], expected: Expected): Promise<ReleaseReport> => {
    const ended = await storm.runShared(['release', '--format', 'json', ...args]);
    expect(ended.code, `${args.join(' ')}: ${ended.stdout}${ended.stderr}`).toBe(expected.code ?? 0);
    const report: ReleaseReport = JSON.parse(ended.stdout);
    const { code: _, ...states } = expected;
    expect(shown(report), ended.stdout).toEqual({
      states: {},
      changedTexts: [],
      conflicts: [],
      withoutFolder: [],
      ...states,
    });
    return report;
  };
  return {
    root,
    commit(files = {}) {
      write(root, files);
      return commitAll(root);
    },
    checked: (expected, args = []) => run(['--check', ...args], expected),
    async released(expected, args = []) {
      await run(['--check', ...args], expected);
      const report = await run(args, expected);
      await storm.audit();
      // In a folder, it has written files of the repository.
      commitAll(root);
      return report;
    },
    async versionsOf(key) {
      const { versions } = (await json(`apps/${key}/versions.json`)) as { versions: { version: string }[] };
      return versions.map((one) => one.version);
    },
    async entryOf(key) {
      const { apps } = (await json('registry.json')) as { apps: Record<string, Awaited<ReturnType<Life['entryOf']>>> };
      const entry = apps[key];
      if (entry === undefined) throw new Error(`${key} is not listed`);
      return entry;
    },
  };
}

const all = (keys: readonly string[], state: string): Record<string, string> =>
  Object.fromEntries(keys.map((key) => [key, state]));

const KINDS: Kind[] = ['folder', 'git over http', 'bucket in memory'];

test.each(KINDS)('30 commits, published to a %s', { timeout: 900_000 }, async (kind) => {
  const opened = await places.opened(kind);
  const { arena, storm } = opened;
  const life = await openLife(opened);
  const { root, commit, released, checked } = life;
  const [one, two, three, four, five, six, seven] = KEYS as [string, string, string, string, string, string, string];

  // 1. All apps are new; then nothing is left to do.
  commit(Object.assign({}, ...LIBRARIES.map((name) => sharedCode(name, '1')), ...KEYS.map(newApp)));
  await released({ states: all(KEYS, 'new') });
  await released({});
  // 2. A document changes no app.
  commit({ 'README.md': '# Apps\n' });
  await released({});
  // 3. One app gets a version.
  commit({ ...code(one, 'b'), ...version(one, '1.1.0') });
  await released({ states: { [one]: 'new' } });
  // 4. Shared code changes five apps, whose versions were forgotten. Nothing is published.
  commit(sharedCode('text', '2'));
  await released({ states: all(usersOf('text'), 'changed'), code: 1 });
  expect(await life.versionsOf(two)).toEqual(['1.0.0']);
  // 5. Their versions are raised.
  expect(await storm.runShared(['release', '--bump'])).toMatchObject({ code: 0 });
  commit();
  await released({ states: all(usersOf('text'), 'new') });
  expect(await life.versionsOf(one)).toEqual(['1.0.0', '1.1.0', '1.1.1']);
  // 6. A text, 7. an icon, 8. a text together with a version.
  commit(texts(two, { color: '#445566' }));
  // In front of git, each request starts a program.
  const served = kind === 'git over http' ? [] : ['--against', `${arena.base}registry.json`];
  await checked({ changedTexts: [two] }, served);
  await released({ changedTexts: [two] });
  expect((await life.entryOf(two)).blockStyle.color).toBe('#445566');
  commit({ [`src/${three}/icon.svg`]: svg('circle') });
  await checked({ changedTexts: [three] }, served);
  await released({ changedTexts: [three] });
  await checked({}, served);
  expect(String(await arena.get(`apps/${three}/icon.svg`))).toBe(svg('circle'));
  commit({ ...texts(four, { name: 'Four' }), ...code(four, 'b'), ...version(four, '1.1.0') });
  await released({ states: { [four]: 'new' }, changedTexts: [four] });
  // 9. Two branches with an app each are merged.
  git(root, 'checkout', '--quiet', '-b', 'feature');
  commit({ ...code(six, 'b'), ...version(six, '1.1.0') });
  git(root, 'checkout', '--quiet', 'main');
  commit({ ...code(seven, 'b'), ...version(seven, '1.1.0') });
  git(root, 'merge', '--quiet', '--no-edit', 'feature');
  await released({ states: { [six]: 'new', [seven]: 'new' } });
  // 10. Two branches declare the same version of one app; the second one changes its code after it was published.
  git(root, 'checkout', '--quiet', '-b', 'late');
  commit({
    ...sharedCode('time', 'late'),
    ...Object.assign({}, ...usersOf('time').map((key) => version(key, '1.2.0'))),
  });
  git(root, 'checkout', '--quiet', 'main');
  commit({ ...code(six, 'c'), ...version(six, '1.2.0') });
  await released({ states: { [six]: 'new' } });
  git(root, 'merge', '--quiet', '--no-edit', 'late');
  await released({
    states: { ...all(usersOf('time'), 'new'), [six]: 'changed' },
    code: 1,
  });
  expect(await storm.runShared(['release', '--bump'])).toMatchObject({ code: 0 });
  commit();
  await released({ states: { [six]: 'new' } });
  expect(await life.versionsOf(six)).toEqual(['1.0.0', '1.1.0', '1.2.0', '1.2.1']);
  // 11. A commit is reverted, 12. and published again under a higher number.
  const before = { ...code(seven, 'b'), ...sharedCode('time', 'late') };
  commit({ ...code(seven, 'wrong'), ...version(seven, '1.3.0') });
  await released({ states: { [seven]: 'new' } });
  commit({ ...before, ...version(seven, '1.2.0') });
  await released({ states: { [seven]: 'reverted' }, code: 1 });
  commit(version(seven, '1.3.1'));
  await released({ states: { [seven]: 'broken' }, code: 1 });
  await released({ states: { [seven]: 'new' } }, ['--allow-same', seven]);
  // 13. A pre-release, 14. a correction of the older line beside it, 15. its promotion.
  commit({ ...code(five, 'next'), ...version(five, '2.0.0-beta.1') });
  await released({ states: { [five]: 'broken' }, code: 1 });
  await released({ states: { [five]: 'new' } }, ['--allow-prerelease']);
  commit({ ...code(five, 'fixed'), ...version(five, '1.0.2') });
  await released({ states: { [five]: 'new' } });
  commit({ ...code(five, 'next'), ...version(five, '2.0.0') });
  await released({ states: { [five]: 'new' } });
  // 16. A hotfix of an older version, in a branch of its own.
  git(root, 'checkout', '--quiet', '-b', 'hotfix');
  commit({ ...code(five, 'hotfix'), ...version(five, '1.0.3') });
  const behind = await checked({ states: { [five]: 'behind' }, code: 1 });
  const command = /appreg (publish-version .*)$/.exec(behind.apps.find(({ key }) => key === five)?.advice ?? '')?.[1];
  expect(await storm.runShared((command ?? '').split(' '))).toMatchObject({ code: 0 });
  commit(texts(five, { color: '#000000', maintenance: true }));
  await checked({});
  git(root, 'checkout', '--quiet', 'main');
  if (kind === 'folder') git(root, 'checkout', '--quiet', 'hotfix', '--', 'apps', 'registry.json', 'appreg.lock.json');
  commit();
  await released({});
  expect((await life.entryOf(five)).blockStyle.color).toBe('#112233');

  await pipelines(kind, opened, life);
  await folders(kind, opened, life);
  expect(Number(git(root, 'rev-list', '--count', 'HEAD'))).toBeGreaterThan(30);
  expect(Object.keys(JSON.parse(String(await arena.get('registry.json'))).apps).toSorted()).toEqual(['a', ...KEYS]);
});

/** Pipelines that fail, are killed, or run at the same time. */
async function pipelines(kind: Kind, { arena, storm }: Opened, life: Life): Promise<void> {
  const { root, commit, released, checked } = life;
  const [one, two, three] = KEYS as [string, string, string];
  const publish = ['release', '--format', 'json'];
  // 17. A run is killed in the middle; the next one continues.
  commit({ ...code(one, 'k'), ...version(one, '1.2.0'), ...texts(two, { color: '#778899' }) });
  const killed = await storm.run(publish, { ...ENV, APPREG_FAILPOINT: arena.steps.at(-1) ?? '' });
  expect(killed.signal, killed.stdout + killed.stderr).toBe('SIGKILL');
  await storm.audit();
  expect(await storm.runShared(publish)).toMatchObject({ code: 0 });
  commit();
  await released({});
  expect(await life.versionsOf(one)).toContain('1.2.0');
  expect((await life.entryOf(two)).blockStyle.color).toBe('#778899');
  // 18. Two pipelines run at once.
  commit({ ...code(three, 'twice'), ...version(three, '1.1.0'), ...texts(three, { name: 'Three' }) });
  for (const ended of await Promise.all([storm.run(publish, ENV), storm.run(publish, ENV)]))
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  commit();
  await released({});
  expect(await life.versionsOf(three)).toContain('1.1.0');
  expect((await life.entryOf(three)).name).toBe('Three');
  // 19. The pipeline may not write: a protected branch, or a key that only reads. 20. It has no credentials.
  commit({ ...code(one, 'p'), ...version(one, '1.3.0'), ...texts(two, { name: 'Two' }) });
  const expected = { states: { [one]: 'new' }, changedTexts: [two] };
  if (kind !== 'folder') {
    if (arena.host) arena.host.readOnly = 403;
    if (arena.objects) arena.objects.mishapOf = () => '403';
    // The check needs no permission to write.
    await checked(expected);
    const refused = await storm.runShared(publish);
    expect([1, 2], refused.stdout + refused.stderr).toContain(refused.code);
    if (arena.host) Object.assign(arena.host, { readOnly: null, authorization: 'Basic eDp5' });
    const env = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', GIT_TERMINAL_PROMPT: '0' };
    const unknown = await storm.runShared(publish, env);
    expect(unknown.code, unknown.stdout + unknown.stderr).toBe(2);
    if (arena.host) arena.host.authorization = null;
    if (arena.objects) arena.objects.mishapOf = () => undefined;
    expect(await life.versionsOf(one)).not.toContain('1.3.0');
    expect((await life.entryOf(two)).name).not.toBe('Two');
  }
  await released(expected);
  // 21. A pipeline of an older commit runs last: it publishes no older version.
  const old = git(root, 'rev-parse', 'HEAD');
  commit({ ...code(one, 'q'), ...version(one, '1.4.0') });
  await released({ states: { [one]: 'new' } });
  git(root, 'checkout', '--quiet', old, '--', 'src');
  await checked({ states: { [one]: 'reverted' }, code: 1 });
  git(root, 'checkout', '--quiet', 'HEAD', '--', 'src');
  // 22. One app does not build, and another is not committed: the third one is published.
  commit({ [`src/${one}/main.ts`]: 'export const = ;\n', ...code(three, 'r'), ...version(three, '1.2.0') });
  write(root, { ...code(two, 'dirty'), ...version(two, '1.9.0') });
  const run = await storm.runShared(publish);
  expect(run.code).toBe(1);
  expect(statesIn(JSON.parse(run.stdout))).toEqual({ [one]: 'broken', [two]: 'broken', [three]: 'new' });
  git(root, 'checkout', '--quiet', 'HEAD', '--', `src/${two}`);
  // 23. An invalid version file and an invalid color.
  commit({ ...code(one, 'q'), ...version(two, 'soon'), ...texts(three, { color: 'red' }) });
  await released({ states: { [two]: 'broken', [three]: 'broken' }, code: 1 });
  commit({ ...version(two, '1.0.1'), ...texts(three, { name: 'Three' }) });
  await released({});
  // 24. The manifest is edited elsewhere, which is not overwritten. 25. The repository takes the text over.
  expect(await storm.runShared(['edit-app', two, '--name', 'Theirs'])).toMatchObject({ code: 0 });
  git(root, 'checkout', '--quiet', 'HEAD', '--', 'src');
  await released({ conflicts: [two], code: 1 });
  commit(texts(two, { name: 'Mine' }));
  await released({ conflicts: [two], code: 1 });
  expect((await life.entryOf(two)).name).toBe('Theirs');
  commit(texts(two, { name: 'Theirs' }));
  await released({});
}

/** Apps that come, change their names, and go. */
async function folders(kind: Kind, { storm }: Opened, life: Life): Promise<void> {
  const { root, commit, released, checked } = life;
  const against = kind === 'folder' ? ['--against', 'HEAD~1'] : [];
  // 26. A sixteenth app.
  commit(newApp('app-16'));
  await released({ states: { 'app-16': 'new' } });
  // 27. Its folder is renamed: in the same repository, the check fails.
  renameSync(join(root, 'src/app-16'), join(root, 'src/gateway'));
  commit();
  const failing = kind === 'folder' ? 1 : 0;
  const expected = { states: { gateway: 'new' }, withoutFolder: ['app-16'], code: failing };
  const renamed = await checked(expected, against);
  expect(renamed.withoutFolder.find(({ key }) => key === 'app-16')).toMatchObject({ renamedTo: 'gateway' });
  renameSync(join(root, 'src/gateway'), join(root, 'src/app-16'));
  // 28. The name is restored.
  commit();
  await released({});
  // 29. Its folder is removed; 30. and then the app.
  rmSync(join(root, 'src/app-16'), { recursive: true });
  commit();
  await checked({ withoutFolder: ['app-16'], code: failing }, against);
  await released({ withoutFolder: ['app-16'] });
  expect(await storm.runShared(['remove-app', 'app-16', '--yes'])).toMatchObject({ code: 0 });
  commit();
  expect((await checked({})).withoutFolder.map(({ key }) => key)).toEqual(['a']);
}

import { mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openGit } from '../../../src/store/git/git.ts';
import type { Store } from '../../../src/store/store.ts';
import { bareIn, git, type GitHost, type GitMishap, openGitHost } from '../../support/git-host.ts';
import { storeContract } from '../contract.ts';
import { scratch } from '../scratch.ts';

const bareRepository = (): string => bareIn(scratch());

/** The next attempt follows at once: the pauses between attempts are random. */
function withoutPauses(): void {
  vi.spyOn(Math, 'random').mockReturnValue(0);
}

let shared = '';
storeContract(
  'a branch of a git remote',
  async () => {
    const remote = bareRepository();
    shared = remote;
    const place = { remote, branch: 'pages', root: scratch() };
    return { store: openGit(place), rival: openGit(place) };
  },
  // Every write is a dozen runs of git.
  {
    workers: 4,
    times: 3,
    atOnce: true,
    faults: [
      {
        name: 'a hook that declines',
        code: 'git-push-rejected',
        effect: 'none',
        start: () => writeFileSync(join(shared, 'hooks/pre-receive'), '#!/bin/sh\nexit 1\n', { mode: 0o755 }),
        end: () => rmSync(join(shared, 'hooks/pre-receive')),
      },
      {
        name: 'a branch that is locked',
        code: 'git-push-rejected',
        effect: 'none',
        start: () => {
          withoutPauses();
          writeFileSync(join(shared, 'refs/heads/pages.lock'), '');
        },
        end: () => {
          vi.restoreAllMocks();
          rmSync(join(shared, 'refs/heads/pages.lock'));
        },
      },
    ],
  },
);

describe('a branch', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  const bytes = Buffer.from('{}');

  test('can be written to for a folder that does not exist yet', async () => {
    const remote = bareRepository();
    const root = scratch();
    git(root, 'init', '--quiet');
    git(root, 'remote', 'add', 'origin', remote);
    const store = openGit({ remote: 'origin', branch: 'pages', root: join(root, 'new/registry') });
    await store.create('registry.json', bytes);
    expect(git(remote, 'show', 'pages:registry.json')).toBe('{}');
  });

  test('of a named remote needs a repository', async () => {
    const root = scratch();
    const store = openGit({ remote: 'origin', branch: 'pages', root });
    await expect(store.read('a')).rejects.toMatchObject({
      code: 'git-remote-unknown',
      summary: `The folder ${root} is not in a git repository, so the remote “origin” is unknown.`,
    });
  });

  test('receives one commit for each write, with the author that git is configured with', async () => {
    const remote = bareRepository();
    const root = scratch();
    git(root, 'init', '--quiet');
    git(root, 'config', 'user.name', 'Ann');
    git(root, 'config', 'user.email', 'ann@example.com');
    git(root, 'remote', 'add', 'upstream', remote);
    const store = openGit({ remote: 'upstream', branch: 'gh-pages', root });
    await store.create('a/b.json', bytes);
    await store.replace('a/b.json', Buffer.from('{"a":1}'), (await store.read('a/b.json'))!.token);
    expect(git(remote, 'log', '--format=%an %s', 'gh-pages')).toBe('Ann Update a/b.json\nAnn Add a/b.json\n');
    expect(git(remote, 'show', 'gh-pages:a/b.json')).toBe('{"a":1}');
    expect(git(root, 'for-each-ref').trim()).toBe('');
  });

  test('preserves all other files, with modes and links', async () => {
    const remote = bareRepository();
    const work = scratch();
    git(work, 'clone', '--quiet', remote, '.');
    writeFileSync(join(work, 'run.sh'), 'x', { mode: 0o755 });
    symlinkSync('run.sh', join(work, 'link'));
    git(work, 'add', '.');
    git(work, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'first');
    git(work, 'push', '--quiet', 'origin', 'HEAD:refs/heads/pages');
    const store = openGit({ remote, branch: 'pages', root: work });
    await store.create('new.json', bytes);
    expect(git(remote, 'ls-tree', '--format=%(objectmode) %(path)', 'pages')).toBe(
      '120000 link\n100644 new.json\n100755 run.sh\n',
    );
    await expect(store.read('link')).rejects.toMatchObject({ code: 'not-a-file' });
  });

  test('of a remote with partial clones is not fetched completely', async () => {
    const remote = bareRepository();
    git(remote, 'config', 'uploadpack.allowFilter', 'true');
    git(remote, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    const store = openGit({ remote: `file://${remote}`, branch: 'pages', root: scratch() });
    await store.create('large.bin', Buffer.alloc(2_000_000, 7));
    const later = openGit({ remote: `file://${remote}`, branch: 'pages', root: scratch() });
    await later.create('small.json', bytes);
    expect((await later.read('large.bin'))?.bytes.length).toBe(2_000_000);
    expect(git(remote, 'ls-tree', '--name-only', 'pages')).toBe('large.bin\nsmall.json\n');
  });

  test.each([
    { name: 'a remote by name, from the top folder', remote: 'up', below: '.' },
    { name: 'a remote by name, from a subfolder', remote: 'up', below: 'deep/er' },
    { name: 'a path', remote: '../r.git', below: '.' },
    { name: 'a path, from a subfolder', remote: '../../../r.git', below: 'deep/er' },
    { name: 'a path without a leading dot', remote: 'inside/r.git', below: '.' },
  ])('is found by $name with a relative address', async ({ remote, below }) => {
    const parent = scratch();
    const work = join(parent, 'work');
    mkdirSync(join(work, 'deep/er'), { recursive: true });
    bareIn(join(parent, 'r.git'));
    bareIn(join(work, 'inside/r.git'));
    git(work, 'init', '--quiet');
    git(work, 'remote', 'add', 'up', '../r.git');
    const store = openGit({ remote, branch: 'pages', root: join(work, below) });
    expect(await store.create('a.json', bytes)).toBe('created');
    const there = join(parent, remote.startsWith('inside') ? 'work/inside/r.git' : 'r.git');
    expect(git(there, 'show', 'pages:a.json')).toBe('{}');
  });

  test.each([
    { name: 'an unknown remote name', remote: 'nowhere', code: 'git-remote-unknown', hint: /git remote -v/ },
    { name: 'a folder that is not a repository', remote: './nothing', code: 'git-unreachable', hint: /git ls-remote/ },
    {
      name: 'a remote that looks like an option',
      remote: '--upload-pack=touch /tmp/x',
      code: 'git-remote-unknown',
      hint: /git remote -v/,
    },
  ])('reports $name', async ({ remote, code, hint }) => {
    const root = scratch();
    git(root, 'init', '--quiet');
    const store = openGit({ remote, branch: 'pages', root });
    await expect(store.read('a.json')).rejects.toMatchObject({ code, hint: expect.stringMatching(hint) as string });
  });

  test('reports a locked branch instead of retrying forever', async () => {
    const remote = bareRepository();
    const store = openGit({ remote, branch: 'pages', root: scratch() });
    await store.create('a.json', bytes);
    const before = git(remote, 'rev-parse', 'pages');
    writeFileSync(join(remote, 'refs/heads/pages.lock'), '');
    withoutPauses();
    await expect(store.create('b.json', bytes)).rejects.toMatchObject({
      code: 'git-push-rejected',
      message: expect.stringMatching(/lock.*Nothing was changed\.$/) as string,
    });
    expect(git(remote, 'rev-parse', 'pages')).toBe(before);
    rmSync(join(remote, 'refs/heads/pages.lock'));
    expect(await store.create('b.json', bytes)).toBe('created');
  }, 60_000);

  test('reports a repository that belongs to another user', async () => {
    const root = scratch();
    git(root, 'init', '--quiet');
    git(root, 'remote', 'add', 'origin', bareRepository());
    vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1');
    await expect(openGit({ remote: 'origin', branch: 'pages', root }).read('a.json')).rejects.toMatchObject({
      code: 'git-ownership',
      hint: expect.stringContaining('safe.directory') as string,
    });
  });

  test('reports the message of a remote that declines, without credentials', async () => {
    const remote = bareRepository();
    writeFileSync(
      join(remote, 'hooks/pre-receive'),
      '#!/bin/sh\necho "pages is protected by https://u:s3cret@x.test/"\nexit 1\n',
      { mode: 0o755 },
    );
    const store = openGit({ remote, branch: 'pages', root: scratch() });
    const error = (await store.create('a.json', bytes).catch((caught: unknown) => caught)) as Error;
    expect(error).toMatchObject({
      code: 'git-push-rejected',
      message: expect.stringContaining('pages is protected') as string,
    });
    expect(error.message).not.toContain('s3cret');
  });
});

describe('a remote over http', () => {
  const bytes = Buffer.from('{}');
  let host: GitHost;
  let store: Store;
  beforeAll(async () => {
    host = await openGitHost(scratch());
  });
  afterAll(() => host.close());
  beforeEach(async () => {
    git(host.folder, 'config', 'core.logAllRefUpdates', 'false');
    store = openGit({ remote: host.url, branch: 'pages', root: scratch() });
  });
  afterEach(() => {
    host.next = [];
    host.authorization = null;
    host.readOnly = null;
    vi.unstubAllEnvs();
  });
  const commits = (): number => Number(git(host.folder, 'rev-list', '--count', 'pages'));

  test.each<GitMishap>(['reset-before', 'reset-during', 'reset-after', '503-before', '500-after'])(
    'receives a push once despite %s',
    async (mishap) => {
      const path = `${mishap}.json`;
      await store.create('first.json', bytes);
      const before = commits();
      host.next.push(mishap);
      expect(await store.create(path, bytes)).toBe('created');
      expect(commits()).toBe(before + 1);
    },
  );

  test('is fetched once if it did not change, and a write needs no fetch before it', async () => {
    await store.create('once.json', bytes);
    const other = openGit({ remote: host.url, branch: 'pages', root: scratch() });
    await other.read('nothing.json');
    host.requests.length = 0;
    for (let i = 0; i < 3; i++) expect(await other.read(`none-${i}.json`)).toBeNull();
    await other.create('twice.json', bytes);
    await other.create('three.json', bytes);
    const services = host.requests.map((request) => request.replace('refs?service=', '? '));
    const fetch = ['? git-upload-pack', 'git-upload-pack'];
    const push = ['? git-receive-pack', 'git-receive-pack'];
    expect(services).toEqual([...fetch, ...fetch, ...fetch, ...push, ...push]);
    // A changed branch is fetched.
    expect(await store.create('three.json', bytes)).toBe('exists');
    expect((await store.read('twice.json'))?.bytes.toString()).toBe('{}');
  });

  test('with a later commit on top of a push without a response counts the push as stored', async () => {
    await store.create('counter', Buffer.from('0'));
    const { token } = (await store.read('counter'))!;
    const rival = openGit({ remote: host.url, branch: 'pages', root: scratch() });
    host.next.push('500-after');
    const ours = store.replace('counter', Buffer.from('1'), token);
    const theirs = (async () => {
      for (;;) {
        const there = (await rival.read('counter'))!;
        if (String(there.bytes) === '1') return rival.replace('counter', Buffer.from('2'), there.token);
      }
    })();
    expect(await Promise.all([ours, theirs])).toEqual(['replaced', 'replaced']);
    expect(git(host.folder, 'show', 'pages:counter')).toBe('2');
  });

  test('without write access is reported at once', async () => {
    host.readOnly = 403;
    await expect(store.create('a.json', bytes)).rejects.toMatchObject({
      code: 'git-push-rejected',
      message: expect.stringMatching(/403.*Nothing was changed\.$/) as string,
      hint: expect.stringContaining('may push') as string,
    });
  });

  test('is used with the token that the repository around the workspace has for it, which is not printed', async () => {
    host.authorization = `Basic ${Buffer.from('x-access-token:a-canary').toString('base64')}`;
    const root = scratch();
    git(root, 'init', '--quiet');
    git(root, 'remote', 'add', 'origin', host.url);
    git(root, 'config', `http.${new URL(host.url).origin}/.extraheader`, `Authorization: ${host.authorization}`);
    vi.stubEnv('GIT_CONFIG_COUNT', '1');
    vi.stubEnv('GIT_CONFIG_KEY_0', 'user.name');
    vi.stubEnv('GIT_CONFIG_VALUE_0', 'Ann');
    const known = openGit({ remote: 'origin', branch: 'pages', root });
    expect(await known.create('by-token.json', bytes)).toBe('created');
    const error = (await store.create('a.json', bytes).catch((caught: unknown) => caught)) as Error;
    expect(error).toMatchObject({ code: 'git-unreachable' });
    host.readOnly = 403;
    const refused = (await known.create('b.json', bytes).catch((caught: unknown) => caught)) as Error;
    expect(String(refused.stack) + JSON.stringify(refused)).not.toMatch(/a-canary|eC1hY2Nlc3M/);
  }, 60_000);
});

describe('git', () => {
  afterEach(() => vi.unstubAllEnvs());
  const bytes = Buffer.from('{}');

  test('in a hook of another repository does not change that repository', async () => {
    const [remote, other] = [bareRepository(), scratch()];
    git(other, 'init', '--quiet');
    const before = git(other, 'config', '--list', '--local');
    vi.stubEnv('GIT_DIR', join(other, '.git'));
    vi.stubEnv('GIT_INDEX_FILE', join(other, '.git/index'));
    vi.stubEnv('GIT_WORK_TREE', other);
    const store = openGit({ remote, branch: 'pages', root: scratch() });
    expect(await store.create('a.json', bytes)).toBe('created');
    vi.unstubAllEnvs();
    expect(git(remote, 'show', 'pages:a.json')).toBe('{}');
    expect(git(other, 'config', '--list', '--local')).toBe(before);
    expect(git(other, 'count-objects')).toMatch(/^0 objects/);
  });

  test('without a temporary folder reports which one, and what to set', async () => {
    const store = openGit({ remote: bareRepository(), branch: 'pages', root: scratch() });
    vi.stubEnv('TMPDIR', join(scratch(), 'gone'));
    await expect(store.read('a.json')).rejects.toMatchObject({
      code: 'temporary-folder-unusable',
      message: expect.stringContaining('gone: a part of its path does not exist (ENOENT)') as string,
      hint: expect.stringContaining('TMPDIR') as string,
    });
  });

  test('removes folders of killed runs from the temporary folder after a day', async () => {
    const temporary = scratch();
    vi.stubEnv('TMPDIR', temporary);
    expect(tmpdir()).toBe(temporary);
    for (const [name, age] of [
      ['appreg-git-old', 25],
      ['appreg-git-new', 23],
      ['other', 25],
    ] as const) {
      mkdirSync(join(temporary, name));
      const time = new Date(Date.now() - age * 3_600_000);
      utimesSync(join(temporary, name), time, time);
    }
    await openGit({ remote: bareRepository(), branch: 'pages', root: scratch() }).read('a.json');
    expect(
      readdirSync(temporary)
        .filter((name) => /-(old|new)$|^other$/.test(name))
        .sort(),
    ).toEqual(['appreg-git-new', 'other']);
  });
});

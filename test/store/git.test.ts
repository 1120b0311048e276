import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openGit } from '../../src/store/git.ts';
import { storeContract } from './contract.ts';
import { scratch } from './scratch.ts';

function git(cwd: string, ...args: string[]): string {
  const run = spawnSync('git', args, { cwd, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout;
}

function bare(): string {
  const root = scratch();
  git(root, 'init', '--quiet', '--bare');
  return root;
}

storeContract(
  'a branch of a git remote',
  async () => {
    const remote = bare();
    const place = { remote, branch: 'pages', root: scratch() };
    return { store: openGit(place), rival: openGit(place) };
  },
  // Every write is a dozen runs of git.
  { workers: 4, times: 3 },
);

describe('a branch', () => {
  const bytes = Buffer.from('{}');

  test('has one commit for each write, by the name that git knows, or by ours where it knows none', async () => {
    const remote = bare();
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

  test('keeps every other file, modes and links included', async () => {
    const remote = bare();
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

  test('whose remote can leave contents out is not fetched whole', async () => {
    const remote = bare();
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
    ['a remote of no such name', 'nowhere', 'git-remote', /git remote -v/],
    ['a folder that is no repository', './nothing', 'git-unreachable', /git ls-remote/],
    ['what would be an option', '--upload-pack=touch /tmp/x', 'git-remote', /git remote -v/],
  ])('%s is told', async (_, remote, code, hint) => {
    const store = openGit({ remote, branch: 'pages', root: scratch() });
    await expect(store.read('a.json')).rejects.toMatchObject({ code, hint: expect.stringMatching(hint) as string });
  });

  test('a remote that declines is told in its own words, without credentials, and at once', async () => {
    const remote = bare();
    writeFileSync(
      join(remote, 'hooks/pre-receive'),
      '#!/bin/sh\necho "pages is protected by https://u:s3cret@x.test/"\nexit 1\n',
      { mode: 0o755 },
    );
    const store = openGit({ remote, branch: 'pages', root: scratch() });
    const error = (await store.create('a.json', bytes).catch((caught: unknown) => caught)) as Error;
    expect(error).toMatchObject({
      code: 'git-refused',
      message: expect.stringContaining('pages is protected') as string,
    });
    expect(error.message).not.toContain('s3cret');
  });
});

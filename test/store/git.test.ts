import { spawnSync } from 'node:child_process';
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

storeContract('a branch of a git remote', async () => {
  const remote = bare();
  const place = { remote, branch: 'pages', root: scratch() };
  return { store: openGit(place), rival: openGit(place) };
});

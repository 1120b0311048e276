import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import { expect, inject, test } from 'vitest';
import { authorityFolder } from '../../src/serve/local-ca.ts';
import { userCacheFolder } from '../../src/platform/user-cache-folder.ts';

test('tests and the processes that they start have a temporary home folder', () => {
  const home = inject('homeFolder');
  expect(homedir()).toBe(home);
  expect(execFileSync(process.execPath, ['-p', 'os.homedir()'], { encoding: 'utf8' }).trim()).toBe(home);
  expect(authorityFolder(process.env)).toContain(home);
  expect(userCacheFolder(process.env)).toContain(home);
});

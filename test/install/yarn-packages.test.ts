import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERSION } from '../../src/core/values/tool-version.ts';
import { MANAGER_ENV, packAllInto, packageManager } from '../support/package-managers.ts';

/** The commands of the other packages under Yarn's Plug'n'Play, where packages are in archives. */

const scratch = mkdtempSync(join(tmpdir(), 'appreg-yarn-'));
const yarn = packageManager('yarn');
let tarballs: Record<string, string>;
beforeAll(async () => {
  if (yarn !== null) tarballs = await packAllInto(scratch);
}, 240_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A project with these packages. @returns a function that runs appreg in it */
function projectWith(...names: string[]): (...args: string[]) => { status: number | null; out: string; err: string } {
  const folder = join(scratch, names.join('-'));
  mkdirSync(folder);
  const dependencies = Object.fromEntries(names.map((name) => [name, `file:${tarballs[name]}`]));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'vendor', private: true, dependencies }));
  writeFileSync(join(folder, 'yarn.lock'), '');
  writeFileSync(join(folder, '.yarnrc.yml'), 'nodeLinker: pnp\n');
  const run = (...words: string[]): { status: number | null; out: string; err: string } => {
    const [program, ...args] = [...yarn!, ...words];
    const env = { ...process.env, ...MANAGER_ENV, NODE_NO_WARNINGS: '1', DATABASE_URL: '' };
    const { status, stdout, stderr } = spawnSync(program!, args, { cwd: folder, env, encoding: 'utf8' });
    return { status, out: stdout, err: stderr };
  };
  const { status, out } = run('install');
  expect(status, out).toBe(0);
  return (...args) => run('appreg', ...args);
}

test(
  'a package that is not installed is named, with the command that installs it',
  { timeout: 240_000 },
  ({ skip }) => {
    if (yarn === null) return skip('yarn cannot be installed here');
    const appreg = projectWith('appreg');
    for (const name of ['service', 'conformance']) {
      const { status, err } = appreg(name);
      expect(status, err).toBe(2);
      expect(err).toContain(`add appreg-${name}@${VERSION} beside it`);
    }
  },
);

test('the commands of installed packages run', { timeout: 240_000 }, ({ skip }) => {
  if (yarn === null) return skip('yarn cannot be installed here');
  const appreg = projectWith('appreg', 'appreg-service', 'appreg-conformance');
  const listed = appreg('conformance', '--role', 'host', '--format', 'json');
  expect(listed.status, listed.err).toBe(0);
  expect(JSON.parse(listed.out).cases.length).toBeGreaterThan(0);
  const service = appreg('--quiet', 'service');
  expect(service.status, service.err).toBe(2);
  expect(service.err).toContain('No PostgreSQL server was found');
});

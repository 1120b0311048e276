import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { on, once } from 'node:events';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { folder, write } from '../support/folders.ts';
import { requireBuild } from '../support/recorded.ts';

/** What `npm run demo` and `npm run sandbox` leave: the registry in examples/out, the data of the sandbox, nothing else. */

const ROOT = join(import.meta.dirname, '../..');
const APPREG = join(ROOT, 'bin/appreg.js');

beforeAll(requireBuild);

/** A copy of the examples, an empty home folder and an empty temporary folder. */
function scene(): { examples: string; home: string; temporary: string; env: NodeJS.ProcessEnv } {
  const examples = join(folder(), 'examples');
  for (const name of readdirSync(join(ROOT, 'examples')))
    if (name === 'apps' || name.endsWith('.mjs'))
      cpSync(join(ROOT, 'examples', name), join(examples, name), { recursive: true });
  const [home, temporary] = [folder(), folder()];
  const users = { HOME: home, USERPROFILE: home, LOCALAPPDATA: home, TMPDIR: temporary, TEMP: temporary };
  return {
    examples,
    home,
    temporary,
    env: { PATH: process.env['PATH'], SystemRoot: process.env['SystemRoot'], ...users },
  };
}

/** What a process prints, up to and with this. */
async function outputUntil({ stdout }: ChildProcess, awaited: RegExp): Promise<string> {
  let output = '';
  for await (const [chunk] of on(stdout!, 'data', { close: ['end'] })) {
    output += String(chunk);
    if (awaited.test(output)) break;
  }
  return output;
}

test('the demo verifies its registry, with a certificate authority that is removed', () => {
  const { examples, home, temporary, env } = scene();
  const args = [join(examples, 'walk.mjs'), APPREG];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: examples, env, encoding: 'utf8' });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const [, authority] = /\$ appreg verify \S+ --ca (\S+)/.exec(stdout)!;
  expect(authority).toContain(temporary);
  expect(existsSync(authority!)).toBe(false);
  expect(readdirSync(temporary)).toEqual([]);
  expect(readdirSync(home)).toEqual([]);
  expect(readdirSync(join(examples, 'out'))).toContain('registry.json');
});

test.skipIf(process.platform === 'win32').each([
  ['makes the registry', /created out\/registry.json\n/],
  ['serves it', /^https:\/\/\S+\n/m],
])('a demo that is interrupted while it %s leaves nothing either', async (_, moment) => {
  const { examples, home, temporary, env } = scene();
  const demo = spawn(process.execPath, [join(examples, 'walk.mjs'), APPREG], { cwd: examples, env, detached: true });
  onTestFinished(() => void demo.kill('SIGTERM'));
  const ended = once(demo, 'exit');
  const output = await outputUntil(demo, moment);
  // As a terminal does: the signal goes to all processes of the demo.
  process.kill(-demo.pid!, 'SIGINT');
  expect(await ended, output).toEqual([130, null]);
  expect(readdirSync(temporary)).toEqual([]);
  expect(readdirSync(home)).toEqual([]);
});

test.skipIf(process.platform === 'win32')('the sandbox has a certificate authority that is removed', async () => {
  const { examples, home, temporary, env } = scene();
  write(examples, {
    'out/registry.json': { apps: {} },
    // In place of appreg: a server and a service that run until they are stopped.
    '../bin/appreg.js': `
      console.error(\`To trust it: --ca \${process.env.APPREG_CA_DIR}/ca.pem for appreg\`);
      console.log(\`https://127.0.0.1/ \${process.argv.join(' ')}\`);
      setInterval(() => {}, 1000);`,
  });
  const sandbox = spawn(process.execPath, [join(examples, 'sandbox.mjs')], { cwd: examples, env });
  onTestFinished(() => void sandbox.kill('SIGTERM'));
  const ended = once(sandbox, 'exit');
  const output = await outputUntil(sandbox, /Ctrl\+C stops both/);
  expect(output).toContain(`--ca ${temporary}/`);
  expect(readdirSync(temporary)).toHaveLength(1);
  sandbox.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(readdirSync(temporary)).toEqual([]);
  expect(readdirSync(home)).toEqual([]);
});

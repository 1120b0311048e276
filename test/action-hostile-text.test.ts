// Scenario: every input of the action gets every hostile text.
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { buildInto } from './support/built.ts';
import { folder } from './support/folders.ts';
import { type Ran, runAction } from './support/github-actions.ts';
import { ONE, registry } from './support/pull-request.ts';

/** The GitHub Action with inputs that a shell, or the runner, could execute. */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = folder();
beforeAll(async () => {
  for (const name of ['action.yml', 'action', 'bin', 'package.json'])
    cpSync(join(root, name), join(home, name), { recursive: true });
  await buildInto(home);
}, 60_000);

const workspace = folder(registry({ '1.0.0': ONE }));

function run(inputs: Record<string, string>): Ran {
  const event = { name: 'push', payload: {} };
  return runAction({ action: home, workspace, temporary: folder(), event }, inputs);
}

// Branches, titles and paths can contain any text.
const HOSTILE = [
  '$(touch pwned)`touch pwned`"; touch pwned; "\'; touch pwned; \'',
  'x\ntouch pwned\n::error::hello',
  '--fix',
  '${{ github.token }}',
];
test.each(['path', 'url', 'against', 'baseline', 'format', 'max-warnings', 'args', 'command', 'version'])(
  'executes no hostile text in %s',
  (name) => {
    for (const value of HOSTILE) {
      const before = readFileSync(join(workspace, 'registry.json'), 'utf8');
      const { commands } = run({ ...(name === 'url' && { command: 'verify' }), [name]: value });
      expect(existsSync(join(workspace, 'pwned')), value).toBe(false);
      expect(commands.filter((command) => !/^(error|warning|notice) [^:]/.test(command))).toEqual([]);
      expect(readFileSync(join(workspace, 'registry.json'), 'utf8')).toBe(before);
    }
  },
);

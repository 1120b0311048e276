// Scenario: every input of the action gets every hostile text.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildAction } from './support/built-action.ts';
import { folder } from './support/folders.ts';
import { type Ran, runAction } from './support/github-actions.ts';
import { ONE, registry } from './support/pull-request.ts';

/** The GitHub Action with inputs that a shell, or the runner, could execute. */

const home = folder();
beforeAll(() => buildAction(home), 60_000);

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
test.each([
  'path',
  'working-directory',
  'advisory',
  'url',
  'against',
  'baseline',
  'format',
  'max-warnings',
  'args',
  'command',
  'version',
])('executes no hostile text in %s', (name) => {
  for (const value of HOSTILE) {
    const before = readFileSync(join(workspace, 'registry.json'), 'utf8');
    const { commands } = run({ ...(name === 'url' && { command: 'verify' }), [name]: value });
    expect(existsSync(join(workspace, 'pwned')), value).toBe(false);
    expect(commands.filter((command) => !/^(error|warning|notice) [^:]/.test(command))).toEqual([]);
    expect(readFileSync(join(workspace, 'registry.json'), 'utf8')).toBe(before);
  }
});

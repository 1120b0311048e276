import { join } from 'node:path';
import { expect, test } from 'vitest';
// @ts-expect-error a script without types
import { startSideBySide } from '../../examples/side-by-side.mjs';
import { folder } from '../support/folders.ts';

const start = startSideBySide as (
  appreg: string,
  registry: string,
  data: string,
  say: (line: string) => void,
) => Promise<{ manifest: string; stop: () => Promise<void> }>;

/** Stands in for appreg: `serve` starts, and `service` runs the given code. */
function appregWith(service: string): string {
  const program = `
if (process.argv[2] === 'serve') {
  console.log('https://127.0.0.1:8080/registry.json');
  console.error('To trust it: --ca ca.pem for appreg');
  setInterval(() => {}, 1000);
} else {
  ${service}
}
`;
  return join(folder({ 'appreg.mjs': program }), 'appreg.mjs');
}

test('a service that does not start is an error that names the command, after its output', async () => {
  const said: string[] = [];
  const failing = appregWith(`console.error('appreg: The database is unusable.'); process.exitCode = 2;`);
  const starting = start(failing, '.', 'data', (line) => said.push(line));
  await expect(starting).rejects.toMatchObject({ message: 'appreg service ended with 2', command: 'service' });
  expect(said).toEqual(['appreg: The database is unusable.']);
});

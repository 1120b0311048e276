import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { certificates } from '../support/fault-certificates.ts';
import { type FaultHost, openFaultHost } from '../support/fault-host.ts';
import { folder as temporaryFolder } from '../support/folders.ts';
import { putRegistry } from '../support/live-registry.ts';
import { requireBuild } from '../support/recorded.ts';

/** A command is as slow to start as the code that it loads is large: the kB of JavaScript that some of them load. */

const PROGRAM = join(import.meta.dirname, '../../bin/appreg.js');

/** Writes the kB of the loaded files of the command line to the file descriptor 3. */
const REPORT = `
const { statSync, writeSync } = require('node:fs');
process.on('exit', () => {
  const files = Object.keys(require.cache).filter((path) => path.endsWith('.cjs') && path !== __filename);
  writeSync(3, String(files.reduce((sum, path) => sum + statSync(path).size, 0) / 1000));
});`;

let host: FaultHost;
let folder: string;

beforeAll(async () => {
  requireBuild();
  host = await openFaultHost({ tls: certificates().get('good') });
  folder = temporaryFolder();
  writeFileSync(join(folder, 'report.cjs'), REPORT);
  writeFileSync(join(folder, 'ca.pem'), certificates().ca);
  mkdirSync(join(folder, 'workspace'));
  writeFileSync(join(folder, 'workspace/registry.json'), '{ "apps": {} }');
  writeFileSync(join(folder, 'workspace/app.js'), 'export const app = {};\n');
});
afterAll(() => host.close());

async function loadedBy(...args: string[]): Promise<number> {
  const child = spawn(process.execPath, ['--require', join(folder, 'report.cjs'), PROGRAM, ...args], {
    cwd: join(folder, 'workspace'),
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stdio[3]?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await new Promise((resolve) => child.on('close', resolve));
  return Number(text);
}

test.each([
  ['--version', 9, () => ['--version']],
  ['--help', 118, () => ['--help']],
  ['help editing', 118, () => ['help', 'editing']],
  ['lint --help', 138, () => ['lint', '--help']],
  ['bundle', 585, () => ['bundle', 'app.js', 'app.tar.gz']],
  ['lint', 1020, () => ['lint']],
  ['verify', 1780, () => ['verify', putRegistry(host).url, '--ca', join(folder, 'ca.pem')]],
])('%s loads at most %i kB', async (_, limit, args) => {
  const loaded = await loadedBy(...args());
  expect(loaded).toBeGreaterThan(limit / 2);
  expect(loaded).toBeLessThanOrEqual(limit);
});

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'vitest';
import { waitUntil } from '../store/scratch.ts';

/** Registry for the tests of the ways to install appreg. */

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const APPREG = join(ROOT, 'bin/appreg.js');

export function hasProgram(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}

/** Tests that need programs: without them they are skipped with a message; in CI they fail. */
export function describeIf(reason: string | null, title: string, body: () => void): void {
  if (reason === null) describe(title, body);
  else if (process.env['CI'] && process.platform === 'linux')
    test(title, () => {
      throw new Error(`Not run: ${reason}`);
    });
  else {
    console.warn(`Skipped, "${title}": ${reason}.`);
    test.skip(`${title}: ${reason}`, () => {});
  }
}

export interface CheckedRegistry {
  /** A folder below `place`, which is removed at the end. */
  folder: string;
  place: string;
  /** Of the manifest, as it is served on this machine. */
  url: string;
  close(): Promise<void>;
}

/** An example app in a registry, served on this machine. The names of its folder need quotes. */
export async function openRegistry(): Promise<CheckedRegistry> {
  const place = mkdtempSync(join(tmpdir(), 'appreg-install-'));
  const folder = join(place, 'the régistry 登録');
  mkdirSync(folder);
  const example = join(ROOT, 'examples/apps/feed-watch');
  const words = ['--name', 'Feed Watch', '--description', 'Watches feeds.', '--color', '#d9480f'];
  run(folder, 'init', '--base-url', 'https://apps.example.com/', '--yes');
  run(folder, 'add-app', 'feed-watch', ...words, '--icon', join(example, 'icon.svg'));
  run(folder, 'publish-version', 'feed-watch', '1.0.0', '--entry', join(example, 'main.ts'), '--no-read-back');
  const served: ChildProcess = spawn(process.execPath, [APPREG, 'serve', '--port', '0'], { cwd: folder });
  let printed = '';
  served.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await waitUntil(() => /^http:\S+\n/.test(printed), 60_000);
  return {
    folder,
    place,
    url: /^http:\S+/.exec(printed)![0],
    async close() {
      const ended = new Promise((resolve) => served.once('exit', resolve));
      served.kill('SIGTERM');
      await ended;
      rmSync(place, { recursive: true, force: true });
    },
  };
}

function run(cwd: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [APPREG, ...args], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`appreg ${args[0]} ended with ${status}: ${stderr}`);
}

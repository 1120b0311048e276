import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { certificates, type Kind } from './fault-certificates.ts';
import { freePort } from './free-port.ts';

/** Real web servers, each a process of the test's own on free ports of the loopback, with its files in a temporary folder. */

export interface WebServer {
  origin: string;
  /** The second port, for a plain listener or a host behind it. */
  secondPort: number;
  /** The folder whose files it serves. */
  root: string;
  /** Its error log. */
  log(): string;
  close(): Promise<void>;
}

export type Program = 'nginx' | 'apache2';

/** Where the program is, or null. */
export function programOf(name: Program): string | null {
  const found = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
  return found === undefined || (name === 'apache2' && !existsSync(APACHE_MODULES)) ? null : found;
}
export const APACHE_MODULES = '/usr/lib/apache2/modules';

/**
 * Starts a server with a configuration in which `@PORT@`, `@SECOND@`, `@DIR@` (for its own files), `@ROOT@` (served),
 * `@CERT@` and `@KEY@` stand for what they are here.
 */
export async function startServer(
  name: Program,
  configuration: string,
  put: (root: string, origin: string, second: number) => void,
  { tls = 'good' }: { tls?: Kind } = {},
): Promise<WebServer> {
  const program = programOf(name)!;
  const dir = mkdtempSync(join(tmpdir(), `appreg-${name}-`));
  const root = join(dir, 'www');
  mkdirSync(root);
  mkdirSync(join(dir, 'tmp'));
  // A server that was started by root reads its files as another user.
  chmodSync(dir, 0o755);
  const { key, cert } = certificates().get(tls);
  writeFileSync(join(dir, 'cert.pem'), cert);
  writeFileSync(join(dir, 'key.pem'), key);
  const port = await freePort();
  const second = await freePort();
  const origin = `https://127.0.0.1:${port}`;
  put(root, origin, second);
  const words: Readonly<Record<string, string>> = {
    PORT: String(port),
    SECOND: String(second),
    DIR: dir,
    ROOT: root,
    CERT: join(dir, 'cert.pem'),
    KEY: join(dir, 'key.pem'),
  };
  writeFileSync(
    join(dir, 'server.conf'),
    configuration.replaceAll(/@([A-Z]+)@/g, (all, word: string) => words[word] ?? all),
  );
  const args =
    name === 'nginx' ? ['-p', dir, '-c', 'server.conf'] : ['-D', 'FOREGROUND', '-d', dir, '-f', 'server.conf'];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const log = (): string => {
    const file = join(dir, 'error.log');
    return output + (existsSync(file) ? readFileSync(file, 'utf8') : '');
  };
  await listening(child, port, log);
  return {
    origin,
    secondPort: second,
    root,
    log,
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null) {
        child.kill('SIGTERM');
        await ended;
      }
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Waits until a program listens. @param log what it wrote, for the error @throws Error if it ends before */
export async function listening(child: ChildProcess, port: number, log = (): string => ''): Promise<void> {
  for (let attempt = 0; attempt < 5000; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`the server did not start: ${log()}`);
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
    await sleep(10);
  }
  throw new Error(`the server does not listen: ${log()}`);
}

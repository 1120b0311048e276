import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppregError } from '../../../core/errors.ts';
import { printable } from '../../../core/text/text.ts';
import { listeningPort } from '../../listening-port.ts';

/** The process of an embedded PostgreSQL: its port, and its start. */

/** Runs pg_ctl on the database. */
export type Control = (...args: string[]) => Promise<unknown>;

/** The port of this database's server, which is started if it is not running. */
export async function runningPort(home: string, control: Control): Promise<number> {
  const data = join(home, 'data');
  await removeStalePid(data);
  for (let tries = 1; ; tries++) {
    const isRunning = await control('status').then(
      () => true,
      () => false,
    );
    const port = isRunning ? await portOf(data) : null;
    if (port !== null) return port;
    try {
      await control(`--log=${join(home, 'server.log')}`, '-o', `-p ${await freePort()}`, 'start');
    } catch (error) {
      // Its port is in use, or another service was faster, or is just stopping the server.
      if (tries === 3)
        throw new AppregError('postgres-start-failed', await startFailure(home), logHint(home), { cause: error });
      await sleep(500);
    }
  }
}

/**
 * After a machine crash or a container restart, the process id in postmaster.pid may belong to another program, and
 * PostgreSQL would not start.
 */
async function removeStalePid(data: string): Promise<void> {
  const file = join(data, 'postmaster.pid');
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
  if (!(pid > 0) || process.platform !== 'linux') return;
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => null);
  if (name !== null && name.trim() !== 'postgres') await rm(file, { force: true });
}

/** The fourth line of postmaster.pid, once written; null if missing. */
export async function portOf(data: string): Promise<number | null> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  return Number(text.split('\n')[3]) || null;
}

async function startFailure(home: string): Promise<string> {
  const lines = (await readFile(join(home, 'server.log'), 'utf8').catch(() => '')).split('\n').slice(-40);
  const fatal = lines.findLastIndex((line) => /\b(FATAL|PANIC):/.test(line));
  const errors = fatal === -1 ? [] : lines.slice(fatal, fatal + 2).filter((line) => /(FATAL|PANIC|DETAIL):/.test(line));
  const reason = errors.map((line) => line.replace(/^.*?(FATAL|PANIC|DETAIL):\s*/, '')).join(' ');
  return `PostgreSQL does not start in ${printable(home)}${reason ? `: ${printable(reason)}` : '.'}`;
}

export function logHint(home: string): string {
  return `Its log is ${printable(join(home, 'server.log'))}. The database is as it was.`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
  const port = listeningPort(server);
  await new Promise((done) => server.close(done));
  return port;
}

import { AppregError, message, type SafeText } from 'appreg';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readlink, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { listeningPort } from '../../config/listening-port.ts';

/** The process of an embedded PostgreSQL: its port, and its start. */

/** Runs pg_ctl on the database. */
export type Control = (...args: string[]) => Promise<unknown>;

/**
 * The process and port of this database's server, which is started if it is not running.
 * @param previous its port before, which it gets again if that is free; or null
 */
export async function ensureServerRuns(
  home: string,
  control: Control,
  previous: number | null,
): Promise<{ pid: number; port: number }> {
  const data = join(home, 'data');
  await removeStalePid(data);
  for (let tries = 1; ; tries++) {
    const server = (await isRunning(control)) ? await readPostmasterPid(data) : null;
    if (server !== null) return server;
    try {
      const wanted = (tries === 1 ? previous : null) ?? (await freePort());
      await control(`--log=${join(home, 'server.log')}`, '-o', `-p ${wanted}`, 'start');
    } catch (error) {
      // Its port is in use, or another service was faster, or is just stopping the server.
      if (tries === 3) throw await startFailure(home, error);
      await sleep(500);
    }
  }
}

/** Stops the server; not an error if it is not running. */
export async function stopServer(home: string, control: Control, pid: number): Promise<void> {
  try {
    await control('--mode=fast', 'stop');
  } catch (error) {
    if (await isRunning(control)) throw error;
    await endOrphan(home, pid);
  }
}

function isRunning(control: Control): Promise<boolean> {
  return control('status').then(
    () => true,
    () => false,
  );
}

/** Ends a server whose data folder was deleted: pg_ctl cannot find it. */
async function endOrphan(home: string, pid: number): Promise<void> {
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
  if (folder === `${join(home, 'data')} (deleted)`) process.kill(pid, 'SIGQUIT');
}

/**
 * After a machine crash or a container restart, the process id in postmaster.pid may belong to another program; a
 * killed server remains as a zombie in a container without an init process. PostgreSQL would not start.
 */
async function removeStalePid(data: string): Promise<void> {
  const file = join(data, 'postmaster.pid');
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
  if (!(pid > 0) || process.platform !== 'linux') return;
  // pid (name) state …
  const [, name, state] = /^\d+ \((.*)\) (\w)/s.exec(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')) ?? [];
  if (name !== undefined && (name !== 'postgres' || state === 'Z')) await rm(file, { force: true });
}

/** The first and fourth line of postmaster.pid, once written; null if missing. */
export async function readPostmasterPid(data: string): Promise<{ pid: number; port: number } | null> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return pid > 0 && port > 0 ? { pid, port } : null;
}

/** @param cause of the failed start */
async function startFailure(home: string, cause: unknown): Promise<AppregError> {
  const lines = (await readFile(join(home, 'server.log'), 'utf8').catch(() => '')).split('\n').slice(-40);
  const fatal = lines.findLastIndex((line) => /\b(FATAL|PANIC):/.test(line));
  const errors = fatal === -1 ? [] : lines.slice(fatal, fatal + 2).filter((line) => /(FATAL|PANIC|DETAIL):/.test(line));
  const reason = errors.map((line) => line.replace(/^.*?(FATAL|PANIC|DETAIL):\s*/, '')).join('. ');
  const hint = reason.includes('initialized by PostgreSQL version')
    ? message`Back it up with the release of appreg that used it, and restore the backup into a new folder.`
    : logHint(home);
  return new AppregError(
    'postgres-start-failed',
    message`PostgreSQL does not start in ${home}${reason ? `: ${reason}` : '.'}`,
    hint,
    { cause },
  );
}

export function logHint(home: string): SafeText {
  return message`Its log is ${join(home, 'server.log')}. The database was not changed.`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
  const port = listeningPort(server);
  await new Promise((done) => server.close(done));
  return port;
}

import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

/** The PostgreSQL server that operators have, of the Debian package, with its usual settings. */

const run = promisify(execFile);
const PLACE = '/usr/lib/postgresql';

/** The folder of its programs; null if it is not installed. */
export function debianPostgres(): string | null {
  try {
    const [newest] = readdirSync(PLACE).sort((a, b) => Number(b) - Number(a));
    return newest === undefined ? null : join(PLACE, newest, 'bin');
  } catch {
    return null;
  }
}

export interface DebianServer {
  url: string;
  /** Of the server. */
  pid(): number;
  /** Ends all connections, and starts it again on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** @param bin as `debianPostgres` returns it @param parent of its folder, such as a small file system */
export async function startDebianPostgres(bin: string, parent = tmpdir()): Promise<DebianServer> {
  const folder = mkdtempSync(join(parent, 'appreg-postgres-'));
  const data = join(folder, 'data');
  const as: { cwd: string; uid?: number; gid?: number } = { cwd: folder };
  if (process.getuid?.() === 0) {
    Object.assign(as, { uid: idOf('-u'), gid: idOf('-g') });
    chownSync(folder, as.uid!, as.gid!);
  }
  chmodSync(folder, 0o700);
  await run(join(bin, 'initdb'), ['--pgdata', data, '--username=appreg', '--auth=trust', '--encoding=UTF8'], as);
  const port = await freePort();
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200`;
  const control = ['--pgdata', data, '--wait'];
  await run(join(bin, 'pg_ctl'), [...control, '--log', join(folder, 'log'), '-o', settings, 'start'], as);
  return {
    url: `postgres://appreg@127.0.0.1:${port}/postgres`,
    pid: () => Number(execFileSync('head', ['-1', join(data, 'postmaster.pid')], { encoding: 'utf8' })),
    async restart() {
      await run(join(bin, 'pg_ctl'), [...control, '--mode=fast', '--log', join(folder, 'log'), 'restart'], as);
    },
    async stop() {
      await run(join(bin, 'pg_ctl'), [...control, '--mode=fast', 'stop'], as);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function idOf(flag: string): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}

import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { folder } from './folders.ts';

/** Ways in which an input file can be broken. */

export type Fault =
  | 'absent'
  | 'unreadable'
  | 'empty'
  | 'truncated'
  | 'deep'
  | 'deepMember'
  | 'folder'
  | 'loop'
  | 'link'
  | 'pipe'
  | 'socket';

/** Each makes a file broken; its path is absolute. */
export const FAULTS: Readonly<Record<Fault, (path: string) => void>> = {
  absent: (path) => rmSync(path),
  unreadable: (path) => chmodSync(path, 0),
  empty: (path) => writeFileSync(path, ''),
  truncated(path) {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, bytes.length / 2));
  },
  deep: (path) => writeFileSync(path, deepArray()),
  deepMember: (path) => writeFileSync(path, `{"schema":1,"apps":{},"more":${deepArray()}}`),
  folder(path) {
    rmSync(path);
    mkdirSync(path);
  },
  loop(path) {
    rmSync(path);
    symlinkSync(path, path);
  },
  link(path) {
    rmSync(path);
    symlinkSync('nowhere', path);
  },
  socket(path) {
    rmSync(path);
    linkSync(socket(), path);
  },
  pipe(path) {
    rmSync(path);
    execFileSync('mkfifo', [path]);
  },
};

/** JSON in which recursion ends at the limit of the stack. */
function deepArray(): string {
  return '['.repeat(100_000) + ']'.repeat(100_000);
}

let madeSocket: string | null = null;

/** A socket that nothing listens to; made once, since a process that ends leaves it behind. */
function socket(): string {
  if (madeSocket !== null) return madeSocket;
  madeSocket = join(folder(), 'socket');
  const program = "require('node:net').createServer().listen(process.argv[1], () => process.exit())";
  execFileSync(process.execPath, ['-e', program, madeSocket]);
  return madeSocket;
}

/**
 * Gives a folder the content of another one, which has only files and folders. Replaces what differs: creating and
 * deleting a file takes longer than comparing it.
 */
export function restore(folder: string, intact: string): void {
  const isFolder = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isFolder) {
    rmSync(folder, { force: true });
    mkdirSync(folder);
  }
  const entries = readdirSync(intact, { withFileTypes: true });
  const names = new Set(entries.map(({ name }) => name));
  for (const name of readdirSync(folder))
    if (!names.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
  for (const entry of entries) {
    const [path, source] = [join(folder, entry.name), join(intact, entry.name)];
    if (entry.isDirectory()) restore(path, source);
    else if (!isCopy(path, source)) {
      rmSync(path, { recursive: true, force: true });
      copyFileSync(source, path);
    }
  }
}

function isCopy(path: string, source: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return (
    stats?.isFile() === true && stats.mode === lstatSync(source).mode && readFileSync(path).equals(readFileSync(source))
  );
}

/** The same exit code for faults. */
export function withFaults(code: number, faults = Object.keys(FAULTS) as Fault[]): Partial<Record<Fault, number>> {
  return Object.fromEntries(faults.map((fault) => [fault, code]));
}

/** A launcher of processes that cannot read files without permissions, although root can; null if there is none. */
export function launcherWithoutPrivileges(): readonly string[] | null {
  if (process.getuid?.() !== 0) return [];
  const launcher = ['setpriv', '--bounding-set=-dac_override,-dac_read_search'];
  const [program = '', ...words] = launcher;
  return spawnSync(program, [...words, 'true']).status === 0 ? launcher : null;
}

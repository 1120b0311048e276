import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { artifactBytes, artifactPath, checksum, type Job, type Metadata, METADATA } from './publisher.ts';
import { waitUntil } from './scratch.ts';

/** Builds the publisher into a folder, since Node 20 runs no TypeScript; returns the file. */
export async function buildPublisher(folder: string): Promise<string> {
  const outfile = join(folder, 'publisher.mjs');
  const entry = join(import.meta.dirname, 'publisher.ts');
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    define: { FAILPOINTS: 'true' },
  });
  return outfile;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  failure: { code: string; message: string; hint: string } | null;
}

export interface Started {
  child: ChildProcess;
  /** Resolves when the first line is printed: modules are loaded, and work begins. */
  ready: Promise<void>;
  ended: Promise<Ended>;
}

/** Starts a command that runs the publisher (default: node itself). */
export function start(
  file: string,
  job: Job,
  options: { failpoint?: string; command?: (run: string[]) => string[] } = {},
): Started {
  const run = [process.execPath, file];
  const [command, ...args] = options.command?.(run) ?? run;
  const env = {
    ...process.env,
    APPREG_TEST_JOB: JSON.stringify(job),
    APPREG_FAILPOINT: options.failpoint ?? '',
    NODE_OPTIONS: '',
  };
  const child = spawn(command!, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  child.stderr.on('data', (chunk) => (out += chunk));
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      out += chunk;
      if (out.includes('ready\n')) resolve();
    });
    child.on('close', () => resolve());
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const failure = /^failure (.*)$/m.exec(out);
      resolve({ code, signal, out, failure: failure && JSON.parse(failure[1]!) });
    });
  });
  return { child, ready, ended };
}

/** Waits until a process has stopped itself at a failpoint (Linux). */
export async function stopped(child: ChildProcess): Promise<void> {
  await waitUntil(() => /\) T /.test(readFileSync(`/proc/${child.pid}/stat`, 'utf8')));
}

/** An empty registry of one app. */
export function seed(root: string, metadata: Metadata = { versions: [] }): void {
  mkdirSync(dirname(join(root, METADATA)), { recursive: true });
  writeFileSync(join(root, METADATA), `${JSON.stringify(metadata, null, 2)}\n`);
}

/**
 * The versions that the registry lists, after making sure that it could be served as it is: the metadata file is
 * complete, every listed artifact exists with its digest, and every file with the name of an artifact is complete.
 */
export function verifiedVersions(root: string, bytes: number): string[] {
  const { versions } = JSON.parse(readFileSync(join(root, METADATA), 'utf8')) as Metadata;
  for (const { version, artifactChecksum } of versions) {
    const found = checksum(readFileSync(join(root, artifactPath(version))));
    if (found !== artifactChecksum) throw new Error(`${version}: ${artifactChecksum} is listed, ${found} is there`);
  }
  for (const name of artifacts(root)) {
    const version = name.replace(/\.tar\.gz$/, '');
    const found = readFileSync(join(root, artifactPath(version)));
    if (Buffer.compare(found, artifactBytes(version, bytes)) !== 0)
      throw new Error(`${name} is not what was published: ${found.length} of ${bytes} bytes`);
  }
  const listed = versions.map(({ version }) => version);
  if (new Set(listed).size !== listed.length) throw new Error(`duplicate versions: ${listed.join(' ')}`);
  return listed;
}

/** The artifacts in place, by file name. */
export function artifacts(root: string): string[] {
  try {
    return readdirSync(dirname(join(root, artifactPath('0')))).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
}

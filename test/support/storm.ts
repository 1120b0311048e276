import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Arena } from './arena.ts';
import { noise, randomNumbers } from './random.ts';
import type { SharedProcess } from './shared-process.ts';
import { entry, tgz } from './tar-builder.ts';

/** Publishers that are real processes: many at once, or killed; and what has to hold after each. */

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Storm {
  /** Duration of a single publisher, in milliseconds. */
  took: number;
  /** Runs the program in the arena's workspace. */
  run(args: readonly string[], env?: Record<string, string>): Promise<Ended>;
  /** The same, one run after the other in one process if there is one: for runs whose process is not what is tested. */
  runShared(args: readonly string[], env?: Record<string, string>): Promise<Ended>;
  start(args: readonly string[], env?: Record<string, string>): { child: ChildProcess; ended: Promise<Ended> };
  /** Creates a .tar.gz in the workspace with at least this number of bytes, and returns its name and checksum. */
  artifact(bytes?: number): { file: string; checksum: string };
  /**
   * Lists the entries of the registry, `app version checksum` each, after checking that it can be served as it is, and
   * that no listed version is missing. @throws Error that states what is lost
   */
  audit(): Promise<string[]>;
}

/** The number of artifacts and apps so far. */
let made = 0;
const chance = randomNumbers();

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';

/**
 * @param program dist/node/main.cjs; the registry is made: an app `a` with its version 1.0.0
 * @param shared for `runShared` (default: a process for each run)
 */
export async function openStorm(program: string, arena: Arena, shared: SharedProcess | null = null): Promise<Storm> {
  const storm = stormIn(program, arena, shared);
  writeFileSync(join(arena.root, 'i.svg'), SVG);
  await successOf(storm.runShared(['init', '--base-url', arena.base, ...arena.flags]));
  await successOf(storm.runShared(addApp('a')));
  // For a folder, a lock file records the versions.
  if (arena.flags.length === 0) await successOf(storm.runShared(['lock']));
  const started = performance.now();
  await successOf(storm.run(publish('1.0.0', storm.artifact().file)));
  storm.took = performance.now() - started;
  await storm.audit();
  return storm;
}

export function publish(version: string, file: string): string[] {
  return ['publish-version', 'a', version, '--artifact', file];
}

function addApp(key: string): string[] {
  return ['add-app', key, '--name', key, '--description', 'An app.', '--icon', 'i.svg', '--color', '#112233'];
}

async function successOf(ended: Promise<Ended>): Promise<Ended> {
  const done = await ended;
  if (done.code !== 0) throw new Error(`exit ${done.code} ${done.signal ?? ''}: ${done.stdout}${done.stderr}`);
  return done;
}

function stormIn(program: string, arena: Arena, shared: SharedProcess | null): Storm {
  const source = `require(${JSON.stringify(program)}).main(process.argv).then((code) => { process.exitCode = code; });`;
  let known = new Set<string>();

  function environment(env: Record<string, string> = {}): NodeJS.ProcessEnv {
    const { HTTPS_PROXY: _s, HTTP_PROXY: _p, https_proxy: _t, http_proxy: _q, ...inherited } = process.env;
    return { ...inherited, NO_COLOR: '1', ...arena.env, ...env };
  }

  function start(args: readonly string[], env?: Record<string, string>): ReturnType<Storm['start']> {
    const child = spawn(process.execPath, ['-e', source, 'appreg', ...args], {
      cwd: arena.root,
      env: environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += String(chunk)));
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code, signal) => {
        const done = (): void => resolve({ code, signal, stdout, stderr });
        // Once all is read that it wrote; but what it had started itself may outlive it, and hold its streams.
        child.on('close', done);
        setTimeout(done, 500);
      });
    });
    return { child, ended };
  }

  async function audit(): Promise<string[]> {
    const manifest = (await json('registry.json')) as { apps: Record<string, { appMetadataUrl: string }> };
    const listed: string[] = [];
    for (const [key, { appMetadataUrl }] of Object.entries(manifest.apps)) {
      const { versions } = (await json(pathOf(appMetadataUrl))) as {
        versions: { version: string; artifactUrl: string; artifactChecksum: string }[];
      };
      const numbers = versions.map(({ version }) => version);
      if (new Set(numbers).size < numbers.length) throw new Error(`a version is listed twice: ${numbers.join(' ')}`);
      listed.push(key);
      for (const { version, artifactUrl, artifactChecksum } of versions) {
        const line = `${key} ${version} ${artifactChecksum}`;
        listed.push(line);
        if (known.has(line)) continue;
        const bytes = await arena.get(pathOf(artifactUrl));
        if (bytes === null) throw new Error(`${line} is listed, and not there`);
        if (checksumOf(bytes) !== artifactChecksum) throw new Error(`${line} is listed, ${checksumOf(bytes)} is there`);
      }
    }
    const now = new Set(listed);
    const lost = [...known].filter((line) => !now.has(line));
    if (lost.length > 0) throw new Error(`lost: ${lost.join(', ')}`);
    known = now;
    return listed;
  }

  const pathOf = (url: string): string => decodeURIComponent(url.slice(arena.base.length));
  async function json(path: string): Promise<unknown> {
    const bytes = await arena.get(path);
    if (bytes === null) throw new Error(`${path} is not there`);
    return JSON.parse(bytes.toString('utf8'));
  }

  return {
    took: 0,
    start,
    run: (args, env) => start(args, env).ended,
    runShared: (args, env) =>
      shared === null ? start(args, env).ended : shared.run(args, { cwd: arena.root, env: environment(env) }),
    artifact(least = 0) {
      const number = (made += 1);
      const name = `artifact-${number}`;
      const code = `export const name = '${name}'; // ${noise(least, number).toString('base64')}`;
      const bytes = tgz(entry('app.js', code));
      writeFileSync(join(arena.root, `${name}.tar.gz`), bytes);
      return { file: `${name}.tar.gz`, checksum: checksumOf(bytes) };
    },
    audit,
  };
}

function checksumOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** So many at once publish a version each, under the next number, and others add an app each: all are there in the end. */
export async function publishAtOnce(storm: Storm, publishers: number, adders: number): Promise<void> {
  const artifacts = Array.from({ length: publishers }, () => storm.artifact());
  const apps = Array.from({ length: adders }, () => `app-${(made += 1)}`);
  const state = { over: false };
  const all = Promise.all([
    ...artifacts.map(({ file }) => successOf(storm.run(publish('patch', file)))),
    ...apps.map((key) => successOf(storm.run(addApp(key)))),
  ]).finally(() => (state.over = true));
  // Every intermediate registry is complete.
  const watched = (async () => {
    while (!state.over) {
      const started = performance.now();
      await storm.audit();
      // For some stores, a check runs programs: the publishers must not wait for it.
      await sleep(Math.max(50, 4 * (performance.now() - started)));
    }
  })();
  await Promise.all([all, watched]);
  await expectShown(storm, [...artifacts.map(({ checksum }) => checksum), ...apps]);
}

/** Kills a publisher at each step, at most this number of times; then a run completes. Returns the number of kills. */
export async function killAtSteps(storm: Storm, steps: readonly string[], times = 3): Promise<number> {
  let killed = 0;
  for (const step of steps) {
    const { file, checksum } = storm.artifact();
    for (let run = 1; run <= times; run++) {
      const { code, signal, stderr } = await storm.run(publish('minor', file), { APPREG_FAILPOINT: step });
      await storm.audit();
      if (code === 0) break;
      if (signal !== 'SIGKILL') throw new Error(`${step}, run ${run}: exit ${code}, ${signal}: ${stderr}`);
      killed++;
    }
    await successOf(storm.runShared(publish('minor', file)));
    await expectAlreadyPublished(storm, file, checksum);
  }
  return killed;
}

/** Killed once at any moment, alone or with all that it started; then a run finishes. True if it was killed in time. */
export async function killAtRandom(storm: Storm): Promise<boolean> {
  const { file, checksum } = storm.artifact();
  const { child, ended } = storm.start(publish('minor', file));
  const timer = setTimeout(() => {
    try {
      if (chance() < 0.5) process.kill(-child.pid!, 'SIGKILL');
      else child.kill('SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }, chance() * storm.took);
  const { signal } = await ended;
  clearTimeout(timer);
  await storm.audit();
  await successOf(storm.runShared(publish('minor', file)));
  await expectAlreadyPublished(storm, file, checksum);
  return signal === 'SIGKILL';
}

/** Run once more, it has nothing to do. */
async function expectAlreadyPublished(storm: Storm, file: string, checksum: string): Promise<void> {
  await expectShown(storm, [checksum]);
  const { stdout } = await successOf(storm.runShared(publish('minor', file)));
  if (!stdout.startsWith('already published')) throw new Error(`published twice: ${stdout}`);
}

async function expectShown(storm: Storm, marks: readonly string[]): Promise<void> {
  const listed = await storm.audit();
  for (const mark of marks) {
    const count = listed.filter((line) => line === mark || line.endsWith(` ${mark}`)).length;
    if (count !== 1) throw new Error(`${mark} is listed ${count} times`);
  }
}

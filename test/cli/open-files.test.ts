import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answer, byMethod, CORS, delayed, type FaultHost, json, openFaultHost } from '../support/fault-host.ts';
import { folder } from '../support/folders.ts';
import { archive, checksum, gzipped, SVG } from '../support/live-registry.ts';

/** The built program with a low limit of open files (ulimit -n). */

const PROGRAM = fileURLToPath(new URL('../../bin/appreg.js', import.meta.url));
const PRLIMIT = '/usr/bin/prlimit';
const isPossible = existsSync(PRLIMIT) && existsSync(fileURLToPath(new URL('../../dist/node', import.meta.url)));
const APPS = 12;

let host: FaultHost;
beforeAll(async () => {
  host = await openFaultHost();
  const apps: Record<string, object> = {};
  for (let i = 0; i < APPS; i += 1) {
    const bytes = archive(`export const app = ${i};`);
    const icon = byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG }) });
    const artifactUrl = host.on(`/${i}.tar.gz`, delayed(20, gzipped(bytes)));
    const list = { versions: [{ version: '1.0.0', artifactUrl, artifactChecksum: checksum(bytes) }] };
    apps[`app-${i}`] = {
      name: `App ${i}`,
      description: 'Does a thing.',
      blockStyle: { iconUrl: host.on(`/${i}.svg`, delayed(20, icon)), color: '#336699' },
      appMetadataUrl: host.on(`/${i}.json`, delayed(20, json(list))),
    };
  }
  host.on('/registry.json', json({ apps }));
});
afterAll(() => host.close());

/** Exhausts the files of the process before its first connection, or before it opens a file of that name. */
const EXHAUST = `
const fs = require('node:fs');
const { Socket } = require('node:net');
const exhaust = () => { try { for (;;) openSync('/dev/null', 'r'); } catch {} };
const { openSync, open } = fs;
const isLast = (path) => process.env.BEFORE_FILE !== undefined && String(path).endsWith(process.env.BEFORE_FILE);
if (require('node:worker_threads').isMainThread) {
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function (...args) { exhaust(); return connect.apply(this, args); };
  fs.openSync = (path, ...args) => { if (isLast(path)) exhaust(); return openSync(path, ...args); };
  fs.open = (path, ...args) => { if (isLast(path)) exhaust(); return open(path, ...args); };
}`;

function runExhausted(args: string[], file?: string): Promise<{ exit: number; stdout: string; stderr: string }> {
  const preload = join(folder(), 'exhaust.cjs');
  writeFileSync(preload, EXHAUST);
  const env = { ...process.env, ...(file === undefined ? {} : { BEFORE_FILE: file }) };
  return new Promise((resolve) => {
    const words = ['--nofile=64', process.execPath, '--require', preload, PROGRAM, ...args];
    execFile(PRLIMIT, words, { env, cwd: folder() }, (error, stdout, stderr) =>
      resolve({ exit: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

function runWithFiles(limit: number, args: string[]): Promise<{ exit: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(PRLIMIT, [`--nofile=${limit}`, process.execPath, PROGRAM, ...args], (error, stdout, stderr) =>
      resolve({ exit: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

test.skipIf(!isPossible)(
  'verify sends fewer requests at once, and judges everything',
  async () => {
    const args = ['verify', `${host.origin}/registry.json`, '--format', 'json'];
    const { exit, stdout, stderr } = await runWithFiles(26, args);
    expect(exit, stderr).toBe(0);
    const report = JSON.parse(stdout) as { outcome: string; summary: { errors: number; warnings: number } };
    // The warning is about plain http.
    expect(report).toMatchObject({ outcome: 'findings', summary: { errors: 0, warnings: 1 } });
  },
  60_000,
);

const MANIFEST = (): string => `${host.origin}/registry.json`;

// Each attempts the connection several times, with pauses.
test.skipIf(!isPossible).concurrent.each<[string, () => string[]]>([
  ['verify', () => ['verify', MANIFEST()]],
  ['diagnose', () => ['diagnose', MANIFEST()]],
  ['mirror', () => ['mirror', MANIFEST(), 'copy', '--base-url', 'https://m.example.com/']],
  ['checksum', () => ['checksum', `${host.origin}/1.tar.gz`]],
  ['subscribe', () => ['subscribe', MANIFEST(), '--service', host.origin, '--name', 'x']],
])(
  '%s that cannot open one connection ends with exit 2, and says nothing about the host',
  async (_, args) => {
    const { exit, stdout, stderr } = await runExhausted(args());
    const text = stdout + stderr;
    expect(exit, text).toBe(2);
    expect(text).toContain('too many open files');
    expect(text).toContain('ulimit -n');
    expect(text).not.toMatch(/unreachable|^ *error /m);
  },
  60_000,
);

test.skipIf(!isPossible).each(['registry.json', 'versions.json', 'icon.svg'])(
  'lint that cannot open %s ends with exit 2, and says nothing about the file',
  async (file) => {
    const root = folder();
    mkdirSync(join(root, 'apps/a'), { recursive: true });
    const base = 'https://apps.example.com/';
    const blockStyle = { iconUrl: `${base}apps/a/icon.svg`, color: '#336699' };
    const entry = {
      name: 'A',
      description: 'Does a thing.',
      blockStyle,
      appMetadataUrl: `${base}apps/a/versions.json`,
    };
    writeFileSync(join(root, 'appreg.config.json'), JSON.stringify({ manifest: 'registry.json', baseUrl: base }));
    writeFileSync(join(root, 'registry.json'), JSON.stringify({ apps: { a: entry } }));
    writeFileSync(join(root, 'apps/a/versions.json'), '{"versions":[]}');
    writeFileSync(join(root, 'apps/a/icon.svg'), SVG);
    const { exit, stdout, stderr } = await runExhausted(['lint', '--cwd', root], file);
    expect(exit, stdout + stderr).toBe(2);
    expect(stderr).toMatch(/cannot be read: this process has too many open files .*\(EMFILE\)\.\s+Raise the limit/);
    expect(stderr).not.toContain('permissions');
  },
  60_000,
);

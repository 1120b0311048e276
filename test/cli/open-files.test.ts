import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answer, byMethod, CORS, delayed, type FaultHost, json, openFaultHost } from '../support/fault-host.ts';
import { archive, checksum, gzipped, SVG } from '../support/live-registry.ts';

/** The built program with a low limit of open files (ulimit -n). */

const PROGRAM = fileURLToPath(new URL('../../bin/appreg.js', import.meta.url));
const PRLIMIT = '/usr/bin/prlimit';
const isPossible = existsSync(PRLIMIT) && existsSync(fileURLToPath(new URL('../../dist/cli', import.meta.url)));
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

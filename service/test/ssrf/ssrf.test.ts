// Scenario: registries attack a network of their own in every way.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildInto } from '../../../test/support/built.ts';
import { openFolder } from '../../../test/support/postgres-folder.ts';
import { PUBLIC_V4, REBINDING, TARGETS } from './targets.ts';

/**
 * The built service, with its default address policy, in a network of its own with a name server: whatever a tenant or a
 * registry names, at no time is a connection opened to an address that is not public.
 */

interface Result {
  decoys: string[];
  reached: string[];
  requests: string[];
  answers: Record<string, string[]>;
  statuses: Record<string, number[]>;
  states: Record<string, string>;
  refused: number;
}

/** Why there is no such network here, or null. */
function missing(): string | null {
  const script = 'ip link set lo up && ip route add local default dev lo && mount --bind /etc/hosts /etc/resolv.conf';
  const { status, stderr, error } = spawnSync('unshare', ['-nm', 'sh', '-ec', script], { encoding: 'utf8' });
  return status === 0 ? null : (error?.message ?? stderr.trim());
}

const cannot = missing();
test.runIf(cannot !== null && process.env['CI'])('a network of its own is available', () => {
  throw new Error(`Not run: ${cannot}`);
});

describe.skipIf(cannot !== null)(`in a network of its own${cannot === null ? '' : ` (skipped: ${cannot})`}`, () => {
  let folder: string;
  let result: Result;
  beforeAll(async () => {
    folder = await openFolder();
    await buildInto(folder);
    const world = join(folder, 'world.cjs');
    const entry = fileURLToPath(new URL('world.ts', import.meta.url));
    await build({
      entryPoints: [entry],
      outfile: world,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      logLevel: 'error',
    });
    writeFileSync(join(folder, 'resolv.conf'), 'nameserver 127.0.0.1\n');
    const script = 'mount --bind "$2/resolv.conf" /etc/resolv.conf && exec "$0" "$1" "$3" "$2"';
    const args = ['-nm', 'sh', '-ec', script, process.execPath, world, folder, join(folder, 'dist/node/main.cjs')];
    const child = spawn('unshare', args, { stdio: ['ignore', 'inherit', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (data: Buffer) => void (stderr += data.toString()));
    const [code] = (await once(child, 'close')) as [number];
    if (code !== 0) throw new Error(stderr);
    result = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as Result;
  }, 600_000);
  afterAll(async () => rm(folder, { recursive: true, force: true }));

  test('decoys count connections', () => {
    for (const address of [
      '127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '192.168.1.1',
      '::1',
      'fd12:3456::1',
      '64:ff9b::7f00:1',
    ])
      expect(result.decoys).toContain(`${address} 443`);
    expect(result.decoys.length).toBeGreaterThan(25);
  });

  test('no decoy is reached', () => {
    expect(result.reached).toEqual([]);
  });

  test('every place requests a public host', () => {
    const i = TARGETS.length;
    for (const path of ['icon', 'metadata', 'artifact'].map((place) => `control.test/${place}`))
      expect(result.requests.filter((request) => request.startsWith(path))).not.toEqual([]);
    for (const place of ['icon', 'metadata', 'artifact'])
      expect(result.requests).toContain(`control.test/${place}/${i}`);
    const listed = result.requests.filter((request) => !request.endsWith('.about.json'));
    const count = (path: string): number => listed.filter((request) => request.startsWith(path)).length;
    expect(count('public.test/redirect/manifest/')).toBe(TARGETS.length + 1);
    expect(count('public.test/redirect/webhook/')).toBe(TARGETS.length);
    for (const place of ['icon', 'metadata', 'artifact'])
      expect([place, count(`public.test/redirect/${place}/`)]).toEqual([place, TARGETS.length + 4]);
    expect(result.refused).toBeGreaterThan(TARGETS.length);
  });

  test('names are internal at a later query, and requested only while they were public', () => {
    for (const name of Object.values(REBINDING)) {
      expect([name, result.answers[name]![0]]).toEqual([name, PUBLIC_V4]);
      expect([name, result.answers[name]!.length > 1]).toEqual([name, true]);
    }
    expect(result.states['rebound']).toBe('failing');
  });

  test('no target is accepted', () => {
    // 202: on a busy machine, a job connects later.
    const refused = expect.toBeOneOf([202, 400, 422]);
    expect(result.statuses['subscribe']).toEqual(TARGETS.map(() => refused));
    expect(result.statuses['redirect']).toEqual(TARGETS.map(() => refused));
    // Names are looked up for each delivery.
    for (const action of ['webhook', 'change'])
      expect(new Set(result.statuses[action])).toEqual(new Set([action === 'webhook' ? 201 : 200, 400]));
  });
});

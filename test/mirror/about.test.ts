import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { mirror } from '../../src/mirror/mirror.ts';
import type { Mirrored, MirrorOptions } from '../../src/mirror/run.ts';
import { answer, type FaultHost, openFaultHost } from '../support/fault-host.ts';
import { type Live, putRegistry } from '../support/live-registry.ts';

/** A mirror contains the about files of its apps. */

const PATH = '/a.about.json';
const COPY = 'apps/app-a/versions.about.json';
const TEXT = '{ "schema": 1,\n  "versions": { "1.0.0": { "notes": "ä" } } }';

let host: FaultHost;
let live: Live;
let root: string;
beforeAll(async () => void (host = await openFaultHost()));
afterAll(() => host.close());
beforeEach(() => {
  live = putRegistry(host);
  host.on(PATH, answer({ body: TEXT }));
  root = mkdtempSync(join(tmpdir(), 'appreg-mirror-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function run(more: Partial<MirrorOptions> = {}): Promise<Mirrored> {
  const base = 'https://mirror.example.com/r/';
  const options = { base, manifest: 'registry.json', apps: null, versions: 'all', prune: false } as const;
  return mirror(live.url, root, { ...options, retries: 0, backoff: () => 1, ...more });
}
const copy = (): string => readFileSync(join(root, COPY), 'utf8');

test('it is copied byte for byte, and again if it changes', async () => {
  expect((await run()).problems).toEqual([]);
  expect(copy()).toBe(TEXT);
  host.on(PATH, answer({ body: '{ "schema": 1 }' }));
  await run();
  expect(copy()).toBe('{ "schema": 1 }');
});

test.each([
  ['broken', answer({ body: '{ "schema": 2 }' }), ['about-invalid']],
  ['not reachable', answer({ status: 500 }), ['about-unknown']],
  ['gone', answer({ status: 404 }), []],
])('the copy of one that is %s is kept', async (_, behaviour, codes) => {
  await run();
  host.on(PATH, behaviour);
  const { problems, versions } = await run();
  expect(problems.map(({ code }) => code)).toEqual(codes);
  expect(versions).toBe(2);
  expect(copy()).toBe(TEXT);
});

test('--skip-companions leaves it out', async () => {
  await run({ skipCompanions: true });
  expect(existsSync(join(root, COPY))).toBe(false);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { runMirror } from '../../src/cli/commands/mirror.ts';
import { answer, type FaultHost, openFaultHost } from '../support/fault-host.ts';
import { folder } from '../support/folders.ts';
import { type Live, putRegistry } from '../support/live-registry.ts';
import { contextIn } from './author-support.ts';

/** `mirror` counts the companion files that it fetched, if there are any. */

const BASE = { baseUrl: 'https://mirror.example.com/r/' };
let host: FaultHost;
let live: Live;
beforeAll(async () => {
  host = await openFaultHost();
  live = putRegistry(host);
});
afterAll(() => host.close());

async function mirrored(options: { skipCompanions?: boolean; format?: 'json' } = {}): Promise<string> {
  const context = contextIn(folder(), options);
  expect(await runMirror(context, live.url, 'copy', { ...BASE, ...options })).toBe(0);
  return context.printed.out.join('\n');
}

test('without companion files, the summary and the JSON do not mention them', async () => {
  expect(await mirrored()).toMatch(/^Mirrored: 1 app, 2 versions, 2 fetched \([^)]+\)$/);
  expect(JSON.parse(await mirrored({ format: 'json' }))).not.toHaveProperty('companions');
});

test('with companion files, both do, unless they are left out', async () => {
  host.on('/2.tar.gz.sigstore.json', answer({ body: '{"a":1}' }));
  expect(await mirrored()).toMatch(/, 2 fetched \([^)]+\), 1 companion file$/);
  expect(JSON.parse(await mirrored({ format: 'json' }))).toMatchObject({ companions: 1, fetched: 2 });
  expect(await mirrored({ skipCompanions: true })).not.toContain('companion');
});

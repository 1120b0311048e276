import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSnapshot } from '../../../src/observe/baseline/saved-facts.ts';
import { openSupportBundle, type SupportBundle } from '../../../src/cli/check/support-bundle.ts';
import type { Snapshot } from '../../../src/core/facts/facts.ts';
import { judge } from '../../../src/core/engine/judge.ts';
import type { Report } from '../../../src/core/findings/report.ts';
import { NOW } from '../../support/core-facts.ts';
import { entry, metadataWith, snapshot } from '../../support/snapshots.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'appreg-ticket-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Fills a ticket as the command does; apps whose key begins with `bad` count as faulty. */
function fill(name: string, facts: Snapshot, budget: number): SupportBundle {
  let faults = 0;
  const ticket = openSupportBundle(join(folder, name), {
    head: { target: facts.target, seenAt: NOW, origins: [], requested: null },
    conceal: (text) => text,
    faults: () => faults,
    budget,
  });
  ticket.add({ kind: 'manifest', facts: facts.manifest });
  for (const app of facts.apps) {
    if (app.key.startsWith('bad')) faults += 1;
    ticket.add({ kind: 'app', facts: app });
  }
  return ticket;
}

const judged = (facts: Snapshot): Report => judge(facts, { command: 'diagnose' });
const found = (report: Report): string[] => report.findings.map((f) => `${f.rule} ${f.app}`).toSorted();
const keys = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${i % 10 === 9 ? 'bad' : 'app'}-${i}`);

test('a small registry is saved completely', async () => {
  const facts = snapshot(keys(10));
  fill('small.json', facts, 1_000_000).finish(judged(facts), null, { node: 'v0' });
  const saved = await readSnapshot(join(folder, 'small.json'));
  expect(saved).toMatchObject({ leftOut: [], incomplete: null, run: { node: 'v0' }, requested: null });
  expect(judged(saved)).toEqual(judged(facts));
});

test('a huge registry is cut to the budget, apps with findings first, and the file lists what was left out', async () => {
  const facts = snapshot(
    keys(2000),
    Object.fromEntries(
      keys(2000).map((key) => [key, key.startsWith('bad') ? metadataWith('v1') : metadataWith('1.0.0')]),
    ),
  );
  const report = judged(facts);
  fill('huge.json', facts, 400_000).finish(report, null, {});
  expect(statSync(join(folder, 'huge.json')).size).toBeLessThan(2_000_000);
  const saved = (await readSnapshot(join(folder, 'huge.json'))) as Snapshot & { leftOut: string[]; report: Report };
  const savedKeys = saved.apps.map((app) => app.key);
  expect(savedKeys.filter((key) => key.startsWith('bad')).length).toBeGreaterThan(100);
  expect(savedKeys.length).toBeLessThan(2000);
  const omitted = (2000 - savedKeys.length).toLocaleString('en-US');
  expect(saved.leftOut).toContain(`the facts of ${omitted} apps, those without findings first`);
  expect(saved.leftOut).toContain('the text of the manifest, except for the entries of the apps in this file');
  expect(saved.incomplete).toBe(`the facts of ${omitted} apps are not in this file`);
  const again = judged(saved);
  expect(again.outcome).toBe('incomplete');
  expect(again.apps.map((app) => app.key).toSorted()).toEqual(savedKeys.toSorted());
  expect(found(again)).toEqual(found(report).filter((f) => savedKeys.some((key) => f.endsWith(` ${key}`))));
});

test('a manifest that cannot be shortened is left out', async () => {
  const facts = snapshot({ note: 'x'.repeat(300_000), apps: { a: entry('a') } });
  fill('wide.json', facts, 100_000).finish(judged(facts), null, {});
  const saved = await readSnapshot(join(folder, 'wide.json'));
  expect(saved.manifest.content).toMatchObject({ missing: { code: 'not-saved' } });
});

test('an app named like a property of every object is saved', async () => {
  const facts = snapshot(
    `{"apps":{"__proto__":${JSON.stringify(entry('a'))}},"x-pad":"${' '.repeat(100)}"${' '.repeat(9000)}}`,
  );
  fill('proto.json', facts, 16_000).finish(judged(facts), null, {});
  const saved = await readSnapshot(join(folder, 'proto.json'));
  expect(saved.apps.map((app) => app.key)).toEqual(['__proto__']);
  expect(JSON.stringify(saved.manifest)).toContain('__proto__');
  expect(JSON.stringify(saved.manifest).length).toBeLessThan(8000);
});

test('an abandoned bundle and one without a manifest leave no file', () => {
  fill('gone.json', snapshot(['a']), 1000).abandon();
  const empty = openSupportBundle(join(folder, 'empty.json'), {
    head: { target: 'x', seenAt: NOW, origins: [], requested: null },
    conceal: (text) => text,
    faults: () => 0,
  });
  empty.finish(judged(snapshot([])), null, {});
  empty.abandon();
  expect(readdirSync(folder).filter((name) => /gone|empty/.test(name))).toEqual([]);
});

test('every text passes through the function that conceals secrets', () => {
  const facts = snapshot(['a']);
  const ticket = openSupportBundle(join(folder, 'secret.json'), {
    head: {
      target: 'https://x.test/?sig=s3cr3t',
      seenAt: NOW,
      origins: [],
      requested: { apps: ['hush'], version: null },
    },
    conceal: (text) => text.replaceAll('hush', 'REDACTED'),
    faults: () => 0,
  });
  ticket.add({ kind: 'manifest', facts: { ...facts.manifest, url: 'https://hush.test/' } });
  ticket.finish(judged(facts), 'hush', { options: ['hush'] });
  expect(readFileSync(join(folder, 'secret.json'), 'utf8')).not.toMatch(/hush|s3cr3t/);
});

test("only the first bytes of an archive's content are saved", async () => {
  const facts = snapshot(['a']);
  const bytes = gzipSync('secret source');
  const content = {
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    sha1: '',
    md5: '',
    head: bytes.toString('base64'),
    cut: false,
    decoded: null,
  };
  const archive = {
    kind: 'gzip',
    fault: null,
    entries: [],
    entryCount: 0,
    unpackedBytes: 0,
    stopped: null,
    trailing: null,
    gzipMembers: 1,
    oddities: [],
  };
  facts.apps[0]!.artifacts = [{ ...facts.apps[0]!.artifacts[0]!, content, archive }];
  fill('head.json', facts, 1_000_000).finish(judged(facts), null, {});
  const saved = await readSnapshot(join(folder, 'head.json'));
  expect((saved.apps[0]!.artifacts[0]!.content as { head: string }).head).toBe(content.head.slice(0, 16));
  expect(found(judged(saved))).toEqual(found(judged(facts)));
});

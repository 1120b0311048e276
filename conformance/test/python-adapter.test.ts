// Scenario: a subscriber in Python runs all cases of the kit.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChildProcess } from 'node:child_process';
import { hasPrograms, linesOf, startAdapter, subscriberReport } from './subscriber-fixture.ts';

/** The subscriber in Python of the guide, through its adapter. */

const isPossible = hasPrograms('python3');
let adapter: { url: string; child: ChildProcess };
beforeAll(async () => {
  if (isPossible) adapter = await startAdapter('python3', ['subscriber-adapter/adapter.py']);
});
afterAll(() => {
  adapter?.child.kill();
});

test.runIf(isPossible)(
  'the adapter in Python passes all required cases, and two runs have the same results',
  { timeout: 180_000 },
  async () => {
    const run = { implementation: { adapter: adapter.url } };
    const first = await subscriberReport(run);
    expect(linesOf(first, 'harness-error', 'not-run')).toEqual([]);
    expect(first.cases.filter(({ level, status }) => level === 'required' && status !== 'pass')).toEqual([]);
    expect(await subscriberReport(run)).toEqual(first);
    expect(JSON.stringify(first)).not.toMatch(/localhost:\d|127\.0\.0\.1/);
  },
);

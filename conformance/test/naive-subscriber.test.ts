// Scenario: a subscriber of shell commands runs all cases of the kit.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CASES, hasPrograms, linesOf, root, subscriberReport } from './subscriber-fixture.ts';

/** The subscriber of the guide in shell, curl and jq: it fails what its list of expected failures says, and nothing else. */

const folder = join(root, 'examples/naive-subscriber');
const expected = readFileSync(join(folder, 'expected-failures.json'), 'utf8');

test.runIf(hasPrograms('curl', 'jq', 'sha256sum'))(
  'the naive subscriber fails exactly the listed cases',
  { timeout: 240_000 },
  async () => {
    const implementation = { command: [join(folder, 'subscriber.sh')] };
    const report = await subscriberReport({ implementation, cwd: folder }, { expected });
    if (process.env['UPDATE']) {
      const known = new Map<string, string>(
        JSON.parse(expected).map((one: { case: string; reason: string }) => [one.case, one.reason]),
      );
      const failures = report.cases.filter(({ status }) => status === 'fail' || status === 'expected-failure');
      const list = failures.map(({ id, title }) => ({ case: id, reason: known.get(id) ?? title }));
      writeFileSync(join(folder, 'expected-failures.json'), `${JSON.stringify(list, null, 2)}\n`);
      return;
    }
    expect(linesOf(report, 'fail', 'stale-expected-failure', 'harness-error', 'not-run')).toEqual([]);
    expect(report.outcome).toBe('pass');
    expect(report.cases).toHaveLength(CASES.length);
    expect(JSON.stringify(report)).not.toMatch(/localhost:\d|127\.0\.0\.1/);
  },
);

test('it has about 60 lines', () => {
  expect(readFileSync(join(folder, 'subscriber.sh'), 'utf8').split('\n').length).toBeLessThan(66);
});

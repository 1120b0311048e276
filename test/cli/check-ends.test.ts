import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runDiagnose } from '../../src/cli/commands/diagnose.ts';
import { runJudge } from '../../src/cli/commands/judge.ts';
import { runVerify } from '../../src/cli/commands/verify.ts';
import type { Context } from '../../src/cli/config/context.ts';
import { cliContext } from '../support/cli-context.ts';
import { configAt } from '../support/config-at.ts';
import { json } from '../support/fault-host.ts';
import { verifyFixture } from './verify-fixture.ts';

/** Every check of a registry, or of saved facts, says after its report which exceptions are over, and what to run next. */

const registry = verifyFixture();

vi.setConfig({ testTimeout: 90_000 });

const CHECKS: [name: string, run: (context: Context, url: string) => Promise<number>][] = [
  ['verify', (context, url) => runVerify(context, url, { ca: 'ca.pem' })],
  ['verify --wait', (context, url) => runVerify(context, url, { ca: 'ca.pem', wait: '1s' })],
  ['diagnose', (context, url) => runDiagnose(context, url, { ca: 'ca.pem' })],
  ['diagnose of saved facts', (context) => runDiagnose(context, 'facts.json', {})],
  ['judge', (context) => runJudge(context, ['facts.json'])],
];

test.each(CHECKS)('%s names exceptions that are over, and the next command', async (_, run) => {
  const { folder, live } = registry;
  live.versions[0]!.version = 'v2';
  live.serve('a.json', json({ versions: live.versions }));
  const exceptions = [{ rule: 'version-not-semver', reason: 'An old tag.', until: '2020-02-29' }];
  writeFileSync(join(folder, 'appreg.config.json'), JSON.stringify({ exceptions }));
  const contextWith = (options: Context['options']): ReturnType<typeof cliContext> =>
    cliContext({ cwd: folder, options, config: (from = folder) => configAt(from) });
  await runVerify(contextWith({ rule: ['tls-expiring=off'] }), live.url, { ca: 'ca.pem', save: 'facts.json' });

  const context = contextWith({ rule: ['tls-expiring=off'] });
  expect(await run(context, live.url)).toBe(1);
  const { log, next } = context.printed;
  expect(log.filter((line) => line.includes('ended on'))).toEqual([
    'The exception for version-not-semver ended on 2020-02-29, so 1 finding counts again. Its reason: An old tag.',
  ]);
  expect(next).toEqual(['appreg explain version-not-semver shows the causes, examples and settings of that rule']);
});

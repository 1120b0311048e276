import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runLint } from '../../src/cli/commands/lint.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { cliContext } from '../support/cli-context.ts';
import { configAt } from '../support/config-at.ts';
import { folder as temporaryFolder } from '../support/folders.ts';
import { BASE, entry, metadataWith } from '../support/snapshots.ts';

/** `lint --fix` of files that are not written: the other files are corrected, and the report is the same as without. */

const versions = (version: string): string => JSON.stringify(metadataWith(version));

test.each([
  [
    'a link that leads out of the workspace',
    (root: string): void =>
      symlinkSync(
        join(temporaryFolder({ 'a.json': versions('v1.0.0') }), 'a.json'),
        join(root, 'apps/a/versions.json'),
      ),
    'a',
    'a symbolic link points outside the folder',
    'file-missing',
  ],
  [
    'a name that Windows does not have',
    (): void => {},
    'aux',
    '“aux” is a device name on Windows',
    'version-not-semver',
  ],
])('%s', async (_, prepare, key, why, rule) => {
  const cwd = temporaryFolder({
    'appreg.config.json': { baseUrl: BASE },
    'registry.json': {
      apps: { [key]: { ...entry(key), blockStyle: { iconUrl: `${BASE}icon.svg`, color: '112233' } }, b: entry('b') },
    },
    'apps/b/versions.json': metadataWith('v2.0.0'),
    ...(key === 'aux' ? { 'apps/aux/versions.json': metadataWith('v1.0.0') } : { 'apps/a/other.txt': '' }),
  });
  prepare(cwd);
  const context = cliContext({ cwd, options: { format: 'json' }, config: (from = cwd) => configAt(from) });
  expect(await runLint(context, [], { fix: true })).toBe(1);
  expect(context.printed.log.join('\n')).toContain(
    `apps/${key}/versions.json: not fixed. The path “apps/${key}/versions.json” was rejected: ${why}.`,
  );
  const report: Report = JSON.parse(context.printed.out.join('\n'));
  expect(report.findings.filter(({ app, resource }) => app === key && resource === 'metadata')).toContainEqual(
    expect.objectContaining({ rule, file: rule === 'file-missing' ? 'registry.json' : `apps/${key}/versions.json` }),
  );
  expect(readFileSync(join(cwd, 'registry.json'), 'utf8')).toContain('"#112233"');
  expect(readFileSync(join(cwd, 'apps/b/versions.json'), 'utf8')).toContain('"2.0.0"');
});

test('a run that finds nothing to correct says so', async () => {
  const cwd = temporaryFolder({
    'appreg.config.json': { baseUrl: BASE },
    'registry.json': { apps: { b: entry('b') } },
    'apps/b/versions.json': metadataWith('1.0'),
  });
  const context = cliContext({ cwd, config: (from = cwd) => configAt(from) });
  expect(await runLint(context, [], { fix: true })).toBe(1);
  expect(context.printed.log.join('\n')).toContain('Nothing was corrected');
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { runLint } from '../../src/cli/commands/lint.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { cliContext } from '../support/cli-context.ts';
import { certificates } from '../support/fault-certificates.ts';
import { type FaultHost, openFaultHost } from '../support/fault-host.ts';
import { folder as temporaryFolder } from '../support/folders.ts';
import { archive, SVG } from '../support/live-registry.ts';
import { runsIn } from '../support/cli-runs.ts';
import { manifestAt, metadataOf, serveTrapRegistry, versionsOf } from '../support/trap-registry.ts';
import { addTraps, APP_KEYS, sprung, TRAP_IDS } from '../support/trap-rules.ts';

/** `lint` and `verify` judge ordinary registries by all rules, an added one included. */

let host: FaultHost;
let folder: string;
let removeTraps: () => void;

beforeAll(async () => {
  host = await openFaultHost({ tls: certificates().get('good') });
});
afterAll(() => host.close());
beforeEach(() => {
  folder = temporaryFolder();
  removeTraps = addTraps();
});
afterEach(() => removeTraps());

test('verify', async () => {
  writeFileSync(join(folder, 'ca.pem'), certificates().ca);
  const url = serveTrapRegistry(host);
  const { report } = await runsIn(folder, 'ca.pem').verify(url);
  expect(sprung(report.findings)).toEqual(TRAP_IDS);
});

test.each([true, false])('lint, artifacts in the workspace: %s', async (hasArtifacts) => {
  const base = 'https://apps.example.com';
  writeFileSync(join(folder, 'appreg.config.json'), JSON.stringify({ baseUrl: `${base}/` }));
  writeFileSync(join(folder, 'registry.json'), JSON.stringify(manifestAt(base)));
  for (const key of APP_KEYS) {
    mkdirSync(join(folder, key));
    writeFileSync(join(folder, key, 'versions.json'), JSON.stringify(metadataOf(key, base)));
    if (!hasArtifacts) continue;
    writeFileSync(join(folder, key, 'icon.svg'), SVG);
    for (const version of versionsOf(key))
      writeFileSync(join(folder, key, `${version}.tar.gz`), archive(`${key} ${version}`));
  }
  const context = cliContext({ cwd: folder, options: { format: 'json' } });
  await runLint(context, [], {});
  const { findings } = JSON.parse(context.printed.out.join('')) as Report;
  expect(sprung(findings)).toEqual(TRAP_IDS);
});

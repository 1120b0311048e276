import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runDiagnose } from '../../src/cli/commands/diagnose.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { cliContext } from '../../test/support/cli-context.ts';
import { checksum } from '../../test/support/live-registry.ts';
import { addApp } from './database-fixture.ts';
import { diagnoseServiceFixture, ofService } from './diagnose-fixture.ts';

/** `diagnose --service` names what the service knows and the registry dropped. */

const service = diagnoseServiceFixture();
const { joined, subscribed } = service;

const HOUR = 3_600_000;
const pinned = { state: 'verified', artifactChecksum: checksum(Buffer.from('gone')) } as const;

test('a version, which is an error, and an app', async () => {
  const { token, registryId } = await subscribed();
  await addApp(
    service.web.db,
    registryId,
    'app-a',
    {},
    {
      '1.0.0': { state: 'verified', artifactChecksum: checksum(service.live.older) },
      '2.0.0': { state: 'verified', artifactChecksum: checksum(service.live.artifact) },
      '3.0.0': pinned,
    },
  );
  await addApp(service.web.db, registryId, 'app-gone', {}, { '1.0.0': pinned });
  const report = await joined(token, { bundle: 'ticket.json' });
  const expected = [
    'error service-version-withdrawn version app-a 3.0.0',
    'warning service-version-withdrawn app app-gone',
  ];
  expect(ofService(report)).toEqual(expected);
  const context = cliContext({ cwd: service.folder, options: { format: 'json' } });
  expect(await runDiagnose(context, 'ticket.json', {})).toBe(1);
  expect(ofService(JSON.parse(context.printed.out.join('\n')) as Report)).toEqual(expected);
  expect(ofService(await joined(token, { app: ['app-gone'] }))).toEqual([expected[1]]);
});

test('a version that the service has noticed to be gone', async () => {
  const { token, registryId } = await subscribed();
  const withdrawnAt = new Date(Date.now() - HOUR);
  await addApp(
    service.web.db,
    registryId,
    'app-a',
    {},
    { '3.0.0': { ...pinned, verifiedAt: withdrawnAt, withdrawnAt } },
  );
  expect(ofService(await joined(token))).toContain('error service-version-withdrawn version app-a 3.0.0');
});

test('and it is withdrawn, not stale, if it is still stored', async () => {
  const { token, registryId } = await subscribed();
  await addApp(service.web.db, registryId, 'app-a', {}, { '3.0.0': pinned });
  const later = {
    version: '3.0.0',
    artifactUrl: `${service.host.origin}/3.tar.gz`,
    artifactChecksum: checksum(service.live.older),
  };
  const stored = mkdtempSync(join(service.folder, 'stored-'));
  writeFileSync(
    join(stored, 'registry.json'),
    JSON.stringify({ apps: { 'app-a': { appMetadataUrl: `${service.host.origin}/a.json` } } }),
  );
  writeFileSync(join(stored, 'a.json'), JSON.stringify({ versions: [later, ...service.live.versions] }));
  const { findings } = await joined(token, { against: stored });
  const about = findings.filter(({ version }) => version === '3.0.0').map(({ rule }) => rule);
  expect(about).toEqual(['service-version-withdrawn']);
});

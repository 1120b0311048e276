import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Runs, runsIn } from '../support/cli-runs.ts';
import { certificates } from '../support/fault-certificates.ts';
import { type FaultHost, openFaultHost } from '../support/fault-host.ts';
import { type Live, putRegistry } from '../support/live-registry.ts';

/** A live registry, and `verify` in an empty folder with the certificate of the host's authority, new for each test. */
export interface VerifyFixture {
  host: FaultHost;
  live: Live;
  folder: string;
  runs: Runs;
}

export function verifyFixture(): VerifyFixture {
  const fixture = {} as VerifyFixture;
  beforeAll(async () => {
    fixture.host = await openFaultHost({ tls: certificates().get('good') });
  });
  afterAll(() => fixture.host.close());
  beforeEach(() => {
    fixture.folder = mkdtempSync(join(tmpdir(), 'appreg-verify-'));
    writeFileSync(join(fixture.folder, 'ca.pem'), certificates().ca);
    fixture.runs = runsIn(fixture.folder, 'ca.pem');
    fixture.live = putRegistry(fixture.host);
    fixture.host.requests.length = 0;
    return () => rmSync(fixture.folder, { recursive: true, force: true });
  });
  return fixture;
}

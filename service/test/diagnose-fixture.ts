import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { runDiagnose, type DiagnoseOptions } from '../../src/cli/commands/diagnose.ts';
import type { GlobalOptions } from '../../src/cli/io/invocation.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { cliContext } from '../../test/support/cli-context.ts';
import { certificates } from '../../test/support/fault-certificates.ts';
import { type FaultHost, openFaultHost } from '../../test/support/fault-host.ts';
import { type Live, putRegistry } from '../../test/support/live-registry.ts';
import { addRegistry, addSubscription } from './database-fixture.ts';
import { openWebFixture, type WebFixture } from './web-fixture.ts';

/** A live registry, a service with its API, and `diagnose --service` in a folder. */
export interface DiagnoseServiceFixture {
  host: FaultHost;
  live: Live;
  folder: string;
  web: WebFixture;
  /** The base URL of the service. */
  base: string;
  run(
    options: DiagnoseOptions,
    globals?: GlobalOptions,
    env?: NodeJS.ProcessEnv,
  ): Promise<{ code: number; out: string }>;
  /** Of the token's organization, as a report. */
  joined(token: string, options?: DiagnoseOptions): Promise<Report>;
  /** A subscription to the live registry, by another spelling of its URL. */
  subscribed(values?: Parameters<typeof addRegistry>[2]): Promise<{ token: string; registryId: number }>;
}

/** To be called once at the top of a test file. */
export function diagnoseServiceFixture(): DiagnoseServiceFixture {
  let api: ReturnType<typeof serve>;
  const fixture = {
    async run(options, globals = {}, env = {}) {
      const { folder, live } = fixture;
      const context = cliContext({ cwd: folder, options: { rule: ['tls-expiring=off'], ...globals }, env });
      const code = await runDiagnose(context, live.url, { ca: 'ca.pem', ...options });
      return { code, out: context.printed.out.join('\n') };
    },
    async joined(token, options = {}) {
      const asked = { service: fixture.base, tokenEnv: 'TOKEN', ...options };
      const { out } = await fixture.run(asked, { format: 'json' }, { TOKEN: token });
      return JSON.parse(out) as Report;
    },
    async subscribed(values = {}) {
      const { web, live } = fixture;
      const { id, token } = await web.join();
      const registryId = await addRegistry(web.db, live.url, values);
      await addSubscription(web.db, id, registryId);
      return { token, registryId };
    },
  } as DiagnoseServiceFixture;
  beforeAll(async () => {
    fixture.host = await openFaultHost({ tls: certificates().get('good') });
    fixture.folder = mkdtempSync(join(tmpdir(), 'appreg-diagnose-service-'));
    writeFileSync(join(fixture.folder, 'ca.pem'), certificates().ca);
    fixture.web = await openWebFixture();
    api = await new Promise((resolve) => {
      const server = serve({ fetch: fixture.web.app().fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(server));
    });
    fixture.base = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await fixture.host.close();
    api.close();
    await fixture.web.stop();
    rmSync(fixture.folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    fixture.live = putRegistry(fixture.host);
    await fixture.web.db.deleteFrom('subscriptions').execute();
    await fixture.web.db.deleteFrom('registries').execute();
  });
  return fixture;
}

/** The findings about what the service knows, in short. */
export function ofService({ findings }: Report): string[] {
  return findings
    .filter(({ rule }) => rule.startsWith('service-'))
    .map(({ severity, rule, cause, app, version }) => [severity, rule, cause, app, version].filter(Boolean).join(' '));
}

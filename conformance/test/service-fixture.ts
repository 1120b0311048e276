import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { ServerCertificate } from '../src/subscriber/hosts.ts';
import type { SubscriberRun } from '../src/subscriber/run.ts';
import { makeAuthority, makeKey } from '../../src/serve/certificates.ts';
import { openLog } from '../../service/src/log.ts';
import { startService } from '../../service/src/start.ts';
import { openTestDatabase } from '../../service/test/database-fixture.ts';
import { settingsFor } from '../../service/test/refresh/refresh-harness.ts';
// @ts-expect-error a script without types
import { openAdapter } from '../../examples/service-adapter/adapter.mjs';

/** The service, tested through its API alone. */

const OPERATOR_TOKEN = 'operator-token-of-the-conformance-kit';
const DAY = 86_400_000;

export interface TestedService {
  /** How the kit reaches it. */
  run: Pick<SubscriberRun, 'implementation' | 'authority' | 'without' | 'concurrency'>;
  stop(): Promise<void>;
}

export async function openTestedService(): Promise<TestedService> {
  const database = await openTestDatabase();
  const authority = await createAuthority();
  const settings = settingsFor(database.url, { ca: authority.cert, operatorToken: OPERATOR_TOKEN, openSignUp: false });
  const service = await startService(
    settings,
    openLog(() => {}),
  );
  const adapter = openAdapter(service.url, OPERATOR_TOKEN).listen(0, '127.0.0.1');
  await once(adapter, 'listening');
  const { port } = adapter.address() as AddressInfo;
  return {
    run: { implementation: { adapter: `http://127.0.0.1:${port}/` }, authority, without: ['clock'], concurrency: 8 },
    async stop() {
      adapter.close();
      await service.stop();
      await database.stop();
    },
  };
}

async function createAuthority(): Promise<ServerCertificate> {
  const key = makeKey();
  const period = { notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + 30 * DAY) };
  return { key, cert: await makeAuthority(key, 'conformance of the service', period) };
}

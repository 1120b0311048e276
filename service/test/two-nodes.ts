import { request } from 'node:http';
import { vi } from 'vitest';
import { openLog } from '../src/log.ts';
import { type RunningService, startService } from '../src/start.ts';
import { type FaultHost, openFaultHost } from '../../test/support/fault-host.ts';
import { folder } from '../../test/support/folders.ts';
import { type ObjectStore, openObjectStore } from '../../test/support/object-store.ts';
import { openTestDatabase, type TestDatabase } from './database-fixture.ts';
import { settingsFor } from './refresh/refresh-harness.ts';

/** Two nodes of the service with one database, one store of artifacts, and a host of registries. */
export interface TwoNodes {
  database: TestDatabase;
  host: FaultHost;
  /** Each as the application that tests of routes send requests to. */
  nodes: { url: string; request(path: string, init?: RequestInit): Promise<Response> }[];
  /** The objects in the bucket; null for a folder. */
  bucket: ObjectStore | null;
  /** Sends a request with a Host header, which `fetch` does not let one choose. */
  sendTo(node: number, path: string, headers: Record<string, string>): Promise<number>;
  stop(): Promise<void>;
}

export async function startTwoNodes(store: 'folder' | 'bucket'): Promise<TwoNodes> {
  const database = await openTestDatabase();
  const host = await openFaultHost();
  const bucket = store === 'bucket' ? await openObjectStore() : null;
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  if (bucket !== null) vi.stubEnv('AWS_ENDPOINT_URL_S3', bucket.endpoint);
  const place =
    bucket === null
      ? ({ type: 'directory', folder: folder() } as const)
      : ({ type: 's3', bucket: 'kept', prefix: 'artifacts/' } as const);
  const settings = settingsFor(database.url, { artifacts: { place, limit: 1e9 } });
  const log = openLog(() => {});
  const running: RunningService[] = [];
  for (let i = 0; i < 2; i += 1) running.push(await startService(settings, log));
  return {
    database,
    host,
    bucket,
    nodes: running.map(({ url }) => ({
      url,
      request: (path, init = {}) => fetch(new URL(path, url), { ...init, redirect: 'manual' }),
    })),
    sendTo: (node, path, headers) =>
      new Promise((done, fail) => {
        request(new URL(path, running[node]!.url), { headers }, (response) => {
          response.resume().once('end', () => done(response.statusCode ?? 0));
        })
          .once('error', fail)
          .end();
      }),
    async stop() {
      for (const node of running) await node.stop();
      vi.unstubAllEnvs();
      await host.close();
      await bucket?.close();
      await database.stop();
    },
  };
}

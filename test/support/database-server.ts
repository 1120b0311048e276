import { once } from 'node:events';
import { createServer } from 'node:http';
import { rm } from 'node:fs/promises';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { listeningPort } from '../../service/src/config/listening-port.ts';
import { openDatabase } from '../../service/src/db/database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../service/src/db/embedded/server.ts';
import { migrate } from '../../service/src/db/migrations/migrate.ts';
import { openFolder } from './postgres-folder.ts';

/** The PostgreSQL server of a test run: it starts when the first test asks for it, and stops at the end of the run. */

declare module 'vitest' {
  export interface ProvidedContext {
    /** Responds with the URL of the PostgreSQL server. */
    databaseServer: string;
  }
}

/** A database with the tables of the service, that others are copied from. */
export const MIGRATED = 'migrated';

/** Runs in the process of vitest, once for each project with tests. */
export async function setup({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const run = vitest.getRootProject();
  if ('databaseServer' in run.getProvidedContext()) return undefined;
  let server: ReturnType<typeof start> | null = null;
  const starter = createServer((_, response) => {
    server ??= start();
    server.then(
      ({ postgres }) => response.end(postgres.url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(starter, 'listening');
  run.provide('databaseServer', `http://127.0.0.1:${listeningPort(starter)}`);
  return async () => {
    starter.close();
    if (server === null) return;
    const { postgres, folder } = await server;
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

async function start(): Promise<{ postgres: EmbeddedPostgres; folder: string }> {
  const folder = await openFolder();
  const postgres = await startEmbeddedPostgres(folder);
  await administer(postgres.url, [
    // The data need not survive a crash of the machine.
    ...['fsync', 'synchronous_commit', 'full_page_writes'].map((name) => `alter system set ${name} = off`),
    'select pg_reload_conf()',
    `create database ${MIGRATED}`,
  ]);
  const { db } = openDatabase(urlOf(postgres.url, MIGRATED), 1, () => undefined);
  await migrate(db);
  await db.destroy();
  return { postgres, folder };
}

export async function administer(url: string, statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

export function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

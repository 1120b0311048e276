import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chmodSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/service/storage/embedded/server.ts';

/** Databases of a PostgreSQL server that runs for as long as the tests of a file. */

let server: Promise<{ own: EmbeddedPostgres; folder: string }> | null = null;
let count = 0;

afterAll(async () => {
  if (server === null) return;
  const { own, folder } = await server;
  await own.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<{ own: EmbeddedPostgres; folder: string }> {
  const folder = await openFolder();
  return { own: await startEmbeddedPostgres(folder), folder };
}

/** A folder that the user of PostgreSQL gets to where the tests run as root. */
export async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'appreg-test-'));
  chmodSync(folder, 0o755);
  return folder;
}

/** A fresh, empty database. It goes with the server; `stop` drops it earlier, connections and all. */
export async function startDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  const { own } = await (server ??= start());
  count += 1;
  const name = `test_${count}`;
  await administer(own.url, `create database ${name}`);
  const url = new URL(own.url);
  url.pathname = `/${name}`;
  return { url: url.href, stop: () => administer(own.url, `drop database if exists ${name} with (force)`) };
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

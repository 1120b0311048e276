import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { administer, MIGRATED, urlOf } from './database-server.ts';

/** Databases of the PostgreSQL server that all tests of a run share. */

/** Has `stop` to drop it, connections and all; otherwise it goes with the server. */
export interface StartedDatabase {
  url: string;
  stop(): Promise<void>;
}

/** A fresh, empty database. */
export function startDatabase(): Promise<StartedDatabase> {
  return copyOf('template1');
}

/** A fresh database with the tables of the service. */
export function startMigratedDatabase(): Promise<StartedDatabase> {
  return copyOf(MIGRATED);
}

async function copyOf(template: string): Promise<StartedDatabase> {
  const server = await serverUrl();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(server, [`create database ${name} template ${template}`]);
  return {
    url: urlOf(server, name),
    stop: () => administer(server, [`drop database if exists ${name} with (force)`]),
  };
}

/** The server's start takes a second, once for all tests. */
async function serverUrl(): Promise<string> {
  const response = await fetch(inject('databaseServer'));
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

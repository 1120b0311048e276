import { randomBytes } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { isAppregError } from '../../../src/core/errors/error.ts';
import { backUp } from '../../src/db/backup/back-up.ts';
import { restore } from '../../src/db/backup/restore.ts';
import { awaitDatabase } from '../../src/db/await-database.ts';
import { listeningPort } from '../../src/config/listening-port.ts';
import { openLog } from '../../src/log.ts';
import { startService } from '../../src/start.ts';
import { administer, urlOf } from '../../../test/support/database-server.ts';
import { folder } from '../../../test/support/folders.ts';
import { settingsFor } from '../refresh/refresh-harness.ts';
import { openTestDatabase, type TestDatabase } from '../database-fixture.ts';

/** Databases that the service cannot use: an error with place, cause and remedy, exit 2, and never an internal one. */

// Attempts that may succeed later are repeated for seconds.
vi.setConfig({ testTimeout: 60_000 });

const NEVER = new AbortController().signal;
const log = openLog(() => {});

let server = '';
let source: TestDatabase;
let backup = '';
beforeAll(async () => {
  server = await (await fetch(inject('databaseServer'))).text();
  source = await openTestDatabase();
  backup = join(folder(), 'appreg.gz');
  await backUp({ databaseUrl: source.url, dataFolder: 'unused' }, backup, NEVER);
});
afterAll(() => source.stop());

const cleanups: string[] = [];
afterEach(() => administer(server, cleanups.splice(0).toReversed()));

function uniqueName(): string {
  return `refused_${randomBytes(6).toString('hex')}`;
}

/** A new database, and a role with a password that is its user. */
async function database(create = '', role = ''): Promise<{ name: string; url: string }> {
  const name = uniqueName();
  await administer(server, [
    `create role ${name} login password 'secret' ${role}`,
    `create database ${name} ${create}`,
  ]);
  cleanups.push(`drop role ${name}`, `drop database if exists ${name} with (force)`);
  const url = new URL(urlOf(server, name));
  url.username = name;
  url.password = 'secret';
  return { name, url: url.href };
}

const asAdministrator = (name: string, ...statements: string[]) => administer(urlOf(server, name), statements);

async function refusalOf(
  run: Promise<unknown>,
): Promise<{ code: string; exit: number; message: string; hint: string }> {
  const error: unknown = await run.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (!isAppregError(error)) throw new Error('Not an error for an operator.', { cause: error });
  expect(error.exit).toBe(2);
  expect(`${error.message} ${error.hint}`).not.toContain('secret');
  return error;
}

async function started(url: string): Promise<void> {
  const service = await startService(settingsFor(url), log);
  await service.stop();
}

const restored = (url: string) => restore({ databaseUrl: url, dataFolder: 'unused' }, backup, NEVER);
const backedUp = (url: string) => backUp({ databaseUrl: url, dataFolder: 'unused' }, join(folder(), 'a.gz'), NEVER);
/** One attempt. */
const reached = (url: string, need: 'read' | 'write' = 'write') => awaitDatabase(url, need, -1, () => {});

describe('without the right', () => {
  test('to create tables, the error has the statements that grant it, which are sufficient', async () => {
    const { name, url } = await database();
    for (const run of [started, restored]) {
      const { code, message, hint } = await refusalOf(run(url));
      expect(code).toBe('database-rights-missing');
      expect(message).toMatch(/^The PostgreSQL server at 127\.0\.0\.1:\d+, database “refused_\w+”, refuses appreg: /);
      expect(message).toMatch(/permission denied for schema public/);
      const statements = hint.match(/GRANT [^;]+;/g)!;
      expect(statements).toEqual([
        `GRANT CONNECT, CREATE ON DATABASE ${name} TO ${name};`,
        `GRANT USAGE, CREATE ON SCHEMA public TO ${name};`,
      ]);
    }
    const { hint } = await refusalOf(started(url));
    await asAdministrator(name, ...hint.match(/GRANT [^;]+;/g)!);
    await started(url);
  });

  test('to a schema, for want of one', async () => {
    const { name, url } = await database();
    await asAdministrator(name, 'drop schema public');
    expect(await refusalOf(started(url))).toMatchObject({ code: 'database-rights-missing' });
  });

  test('to the tables of another role, it says which role to use', async () => {
    const { name, url } = await database();
    await started(urlOf(server, name));
    await asAdministrator(name, `grant all on schema public to ${name}`, `grant create on database ${name} to ${name}`);
    for (const run of [started, backedUp]) {
      const { code, hint } = await refusalOf(run(url));
      expect([code, hint]).toEqual(['database-rights-missing', expect.stringContaining(`GRANT <owner> TO ${name};`)]);
    }
  });

  test('to connect', async () => {
    const { name, url } = await database();
    await administer(server, [`revoke connect on database ${name} from public`]);
    for (const run of [started, restored, backedUp])
      expect(await refusalOf(run(url))).toMatchObject({
        code: 'database-rights-missing',
        hint: expect.stringContaining(`GRANT CONNECT, CREATE ON DATABASE ${name} TO ${name};`),
      });
  });
});

describe('an encoding', () => {
  test.each(['LATIN1', 'SQL_ASCII', 'WIN1252'])('%s is refused before anything is written', async (encoding) => {
    const { name, url } = await database(`encoding '${encoding}' locale 'C' template template0`);
    await asAdministrator(name, `grant all on schema public to ${name}`);
    for (const run of [started, restored]) {
      const { code, message, hint } = await refusalOf(run(url));
      expect(code).toBe('database-encoding-unsupported');
      expect(message).toContain(`stores text in ${encoding}`);
      expect(hint).toContain(`CREATE DATABASE appreg OWNER ${name} ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0;`);
    }
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`);
    await client.end();
    expect(rows).toEqual([]);
  });

  test('that is not UTF8 is no reason to refuse a backup', async () => {
    const { name, url } = await database(`encoding 'LATIN1' locale 'C' template template0`);
    await asAdministrator(name, `grant all on schema public to ${name}`);
    expect(await refusalOf(backedUp(url))).toMatchObject({ code: 'database-missing' });
  });
});

/** The URL of a new database with a change. */
async function changed(change: (url: URL) => void): Promise<string> {
  const url = new URL((await database()).url);
  change(url);
  return url.href;
}

describe('a login', () => {
  test.each<[string, (url: URL) => void, string, RegExp]>([
    ['with another password', (url) => (url.password = 'other'), 'password authentication failed', /password/],
    ['without a password', (url) => (url.password = ''), 'password', /Write the password into DATABASE_URL/],
    [
      'of a role that does not exist',
      (url) => (url.username = 'nobody_here'),
      'authentication failed',
      /Check the user/,
    ],
    [
      'to a database that does not exist',
      (url) => (url.pathname = '/Nowhere'),
      'database "Nowhere" does not exist',
      /CREATE DATABASE "Nowhere" OWNER refused_\w+ ENCODING 'UTF8' TEMPLATE template0;/,
    ],
    [
      'with TLS to a server without it',
      (url) => url.searchParams.set('sslmode', 'verify-full'),
      'does not support SSL connections',
      /remove sslmode from DATABASE_URL/,
    ],
  ])('%s is refused at once', async (_, change, cause, remedy) => {
    const url = await changed(change);
    for (const run of [started, restored, backedUp]) {
      const { code, message, hint } = await refusalOf(run(url));
      expect(code).toBe('database-login-refused');
      expect(message).toContain(cause);
      expect(hint).toMatch(remedy);
    }
  });

  test('to a database that allows no connections is refused at once', async () => {
    const { name, url } = await database();
    await administer(server, [`alter database ${name} allow_connections false`]);
    expect(await refusalOf(started(url))).toMatchObject({
      code: 'database-login-refused',
      hint: `Allow connections: ALTER DATABASE ${name} ALLOW_CONNECTIONS true;`,
    });
  });
});

describe('what may end', () => {
  test('is named if it lasts: a read-only database', async () => {
    const { name, url } = await database();
    await administer(server, [`alter database ${name} set default_transaction_read_only = on`]);
    for (const error of await Promise.all([reached(url), restored(url)].map(refusalOf)))
      expect(error).toMatchObject({
        code: 'database-unusable',
        message: expect.stringContaining('it is read-only'),
        hint: expect.stringContaining('Set DATABASE_URL to the primary server'),
      });
    await reached(url, 'read');
  });

  test('is named if it lasts: too many connections', async () => {
    const { url } = await database('', 'connection limit 0');
    for (const error of await Promise.all([reached(url), restored(url), backedUp(url)].map(refusalOf)))
      expect(error).toMatchObject({
        code: 'database-unusable',
        message: expect.stringContaining('too many connections'),
        hint: expect.stringContaining('raise max_connections'),
      });
  });

  test('is named if it lasts: a server that does not run', async () => {
    const url = 'postgres://x@127.0.0.1:9/x';
    for (const error of await Promise.all([reached(url), restored(url), backedUp(url)].map(refusalOf)))
      expect(error).toMatchObject({
        code: 'database-unreachable',
        message: expect.stringContaining('127.0.0.1:9, database “x”'),
      });
  });
});

/** A server that speaks as much of the protocol as a first statement needs. */
async function speakingServer(row: string[]): Promise<{ server: Server; url: string }> {
  const speaking = createServer((socket) => speak(socket, row));
  await new Promise<void>((done) => speaking.listen(0, '127.0.0.1', done));
  return { server: speaking, url: `postgres://x:y@127.0.0.1:${listeningPort(speaking)}/x` };
}

function speak(socket: Socket, row: string[]): void {
  socket.on('error', () => {});
  let isStarted = false;
  socket.on('data', (data) => {
    if (!isStarted) {
      isStarted = true;
      return void socket.write(Buffer.concat([reply('R', int32(0)), reply('Z', Buffer.from('I'))]));
    }
    if (data[0] !== 'Q'.charCodeAt(0)) return void socket.end();
    const names = ['version', 'encoding', 'readOnly'];
    const types = [23, 25, 25];
    const fields = names.map((name, index) =>
      Buffer.concat([
        Buffer.from(`${name}\0`),
        int32(0),
        int16(0),
        int32(types[index]!),
        int16(-1),
        int32(-1),
        int16(0),
      ]),
    );
    const values = row.map((value) => Buffer.concat([int32(value.length), Buffer.from(value)]));
    socket.write(
      Buffer.concat([
        reply('T', int16(names.length), ...fields),
        reply('D', int16(row.length), ...values),
        reply('C', Buffer.from('SELECT 1\0')),
        reply('Z', Buffer.from('I')),
      ]),
    );
  });
}

function reply(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

test.each([
  ['90624', '9.6.24'],
  ['120017', '12.17'],
])('a server of the version %s is refused with its name', async (number, name) => {
  const old = await speakingServer([number, 'UTF8', 'off']);
  for (const run of [started, restored, backedUp])
    expect(await refusalOf(run(old.url))).toMatchObject({
      code: 'database-version-unsupported',
      message: expect.stringContaining(`has the version ${name}, but appreg needs 13 or later`),
    });
  old.server.close();
});

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openBlobBucket } from '../../../src/store/blobs/blobs.ts';
import type { FoundCredentials } from '../../../src/store/s3/credentials.ts';
import { renewCredentials } from '../../../src/store/s3/renewed-credentials.ts';
import { openRequests, type S3Requests } from '../../../src/store/s3/request.ts';
import { type ObjectStore, openObjectStore } from '../../support/object-store.ts';

/** Credentials that end: a store, and an endpoint that issues keys of one generation after another. */

const NO_FILES = {
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
};
let store: ObjectStore;
let endpoint: Server;
let url: string;
let folder: string;
let lookUps = 0;
let issue: () => { status?: number; body: string };

const keysOf = (id: string, secondsLeft: number | null) => ({
  AccessKeyId: id,
  SecretAccessKey: `secret-${id}`,
  Token: `token-${id}`,
  ...(secondsLeft === null ? {} : { Expiration: new Date(Date.now() + secondsLeft * 1000).toISOString() }),
});

beforeAll(async () => {
  endpoint = createServer((_, response) => {
    lookUps += 1;
    const { status = 200, body } = issue();
    setTimeout(() => response.writeHead(status).end(body), 20);
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/keys`;
  folder = mkdtempSync(join(tmpdir(), 'appreg-credentials-'));
});
afterAll(() => {
  endpoint.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  lookUps = 0;
  store = await openObjectStore();
  store.objects.set('b/a.json', { bytes: Buffer.from('a'), etag: '"1"', generation: 1, headers: {} });
});
afterEach(() => {
  vi.unstubAllEnvs();
  return store.close();
});

const place = () => ({ bucket: 'b', prefix: '', region: 'us-east-1', endpoint: store.endpoint });
const inContainer = () => ({ ...NO_FILES, AWS_CONTAINER_CREDENTIALS_FULL_URI: url });
/** The providers of AWS read the environment of the process. */
function stub(env: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return env;
}
const open = (env: Record<string, string> = inContainer(), more: object = {}): S3Requests =>
  openRequests(place(), { env: stub(env), requestRetryDelay: 1, ...more });
const statusOf = async (requests: S3Requests) => (await requests.request('GET', 'a.json')).status;

describe('credentials of an endpoint', () => {
  test('are renewed over three generations, without a failed request, by one look-up at a time', async () => {
    let generation = 0;
    let endsAt = 0;
    issue = () => {
      // An endpoint returns the same keys until shortly before their end.
      if (Date.now() > endsAt - 500) {
        generation += 1;
        endsAt = Date.now() + 1200;
      }
      return { body: JSON.stringify({ ...keysOf(`G${generation}`, 0), Expiration: new Date(endsAt).toISOString() }) };
    };
    const ends = new Map<string, number>();
    store.refusalOf = (id) => {
      if (!ends.has(id)) ends.set(id, endsAt);
      return Date.now() > ends.get(id)! ? 'ExpiredToken' : null;
    };
    const blobs = openBlobBucket({ ...place(), env: stub(inContainer()) }, folder);
    await blobs.identity();
    expect(lookUps).toBe(1);
    for (let number = 0; ends.size < 4; number += 1) {
      const bytes = Buffer.from(`blob ${number}`);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const path = join(folder, sha256);
      writeFileSync(path, bytes);
      const md5 = createHash('md5').update(bytes).digest('base64');
      await blobs.put({ path, length: bytes.length, sha256, md5 });
      const readers = await Promise.all([1, 2, 3, 4].map(() => blobs.open(sha256)));
      const parts = await Promise.all(readers.map((reader) => reader!.read(0, bytes.length)));
      expect(parts.map((part) => Buffer.from(part!).toString())).toEqual(Array(4).fill(`blob ${number}`));
    }
    expect(ends.size).toBeGreaterThanOrEqual(3);
    expect(lookUps).toBeLessThan(30);
  }, 30_000);

  test('are looked up again after a failed first look-up', async () => {
    issue = () => ({ status: 500, body: '{"code":"Internal","message":"not yet"}' });
    const requests = open();
    await expect(statusOf(requests)).rejects.toThrow('No credentials for the S3 store were found');
    const failed = lookUps;
    await expect(Promise.all([statusOf(requests), statusOf(requests)])).rejects.toThrow('No credentials');
    expect(lookUps - failed).toBeLessThanOrEqual(failed);
    issue = () => ({ body: JSON.stringify(keysOf('K', 3600)) });
    await expect.poll(() => statusOf(requests)).toBe(200);
  });

  test.each([1, 2])('are looked up when the endpoint fails %i times', async (times) => {
    issue = () => (lookUps <= times ? { status: 503, body: '' } : { body: JSON.stringify(keysOf('K', 3600)) });
    expect(await statusOf(open())).toBe(200);
  });

  test('are shared by simultaneous requests', async () => {
    issue = () => ({ body: JSON.stringify(keysOf('K', 3600)) });
    const requests = open();
    await Promise.all(Array.from({ length: 50 }, () => statusOf(requests)));
    expect(lookUps).toBe(1);
  });

  test.each([
    'ExpiredToken',
    'ExpiredTokenException',
    'RequestExpired',
    'InvalidAccessKeyId',
    'InvalidToken',
    'SignatureDoesNotMatch',
  ])('are renewed once if the store refuses them with %s, by all requests together', async (code) => {
    let id = 'OLD';
    issue = () => ({ body: JSON.stringify(keysOf(id, 3600)) });
    const requests = open();
    expect(await statusOf(requests)).toBe(200);
    id = 'NEW';
    store.refusalOf = (used) => (used === 'OLD' ? code : null);
    expect(await Promise.all(Array.from({ length: 20 }, () => statusOf(requests)))).toEqual(Array(20).fill(200));
    expect(lookUps).toBe(2);
  });

  test('that the endpoint does not renew lead to an error that names it, and not to a look-up per request', async () => {
    issue = () => ({ body: JSON.stringify(keysOf('OLD', 3600)) });
    store.refusalOf = () => 'ExpiredToken';
    const requests = open();
    for (let count = 0; count < 20; count += 1)
      await expect(statusOf(requests)).rejects.toMatchObject({
        code: 's3-refused',
        hint: 'Get new credentials: those of the providers of AWS have expired.',
      });
    expect(lookUps).toBeLessThan(10);
  });

  test('whose renewal fails after a refusal lead to an error with both reasons, and without secrets', async () => {
    issue = () => ({ body: JSON.stringify(keysOf('OLD', 3600)) });
    const requests = open();
    await statusOf(requests);
    store.refusalOf = () => 'ExpiredToken';
    issue = () => ({ status: 403, body: '{"Code":"AccessDenied","Message":"The task has no role"}' });
    const error = (await statusOf(requests).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toMatch(/400 ExpiredToken.*could not be renewed: No credentials for the S3 store were found/);
    expect(error.message).not.toMatch(/secret-|token-/);
  });

  test('are used while their renewal fails, which is reported', async () => {
    issue = () => ({ body: JSON.stringify(keysOf('OLD', 1)) });
    const errors: unknown[] = [];
    const requests = open(inContainer(), { onCredentialsError: (error: unknown) => errors.push(error) });
    await statusOf(requests);
    issue = () => ({ status: 404, body: '' });
    await wait(1200);
    expect(await statusOf(requests)).toBe(200);
    expect(errors.length).toBeGreaterThan(0);
  });
});

describe('other sources', () => {
  test('a profile that is changed on disk', async () => {
    const file = join(folder, 'credentials');
    const write = (id: string) =>
      writeFileSync(file, `[default]\naws_access_key_id = ${id}\naws_secret_access_key = s-${id}\n`);
    write('FIRST');
    store.refusalOf = (id) => (id === 'FIRST' ? 'InvalidAccessKeyId' : null);
    const requests = open({ ...NO_FILES, AWS_SHARED_CREDENTIALS_FILE: file });
    await expect(statusOf(requests)).rejects.toThrow('InvalidAccessKeyId');
    write('SECOND');
    await expect.poll(() => statusOf(requests)).toBe(200);
  });

  test('the program of a profile', async () => {
    const program = join(folder, 'program.mjs');
    const count = join(folder, 'count');
    writeFileSync(count, '');
    writeFileSync(
      program,
      `import { appendFileSync, readFileSync } from 'node:fs';
      appendFileSync(${JSON.stringify(count)}, 'x');
      const id = 'P' + readFileSync(${JSON.stringify(count)}).length;
      console.log(JSON.stringify({ Version: 1, AccessKeyId: id, SecretAccessKey: 's', SessionToken: 't', Expiration: new Date(Date.now() + 900000).toISOString() }));`,
    );
    const file = join(folder, 'config');
    writeFileSync(file, `[profile own]\ncredential_process = "${process.execPath}" "${program}"\n`);
    store.refusalOf = (id) => (id === 'P1' ? 'ExpiredToken' : null);
    expect(await statusOf(open({ ...NO_FILES, AWS_CONFIG_FILE: file, AWS_PROFILE: 'own' }))).toBe(200);
    writeFileSync(file, '[profile own]\ncredential_process = echo wrong >&2; exit 3\n');
    await expect(statusOf(open({ ...NO_FILES, AWS_CONFIG_FILE: file, AWS_PROFILE: 'own' }))).rejects.toThrow(
      'The profile “own” has no credentials (the program credential_process failed: wrong)',
    );
  });

  test('a role whose token file is replaced', async () => {
    const file = join(folder, 'token');
    writeFileSync(file, 'one');
    let number = 0;
    const sts = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => void chunks.push(chunk));
      request.on('end', () => {
        const token = new URLSearchParams(Buffer.concat(chunks).toString()).get('WebIdentityToken');
        number += 1;
        response.end(
          `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${token}</AccessKeyId><SecretAccessKey>s${number}</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${new Date(Date.now() + 3_600_000).toISOString()}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
        );
      });
    });
    await new Promise<void>((resolve) => sts.listen(0, '127.0.0.1', resolve));
    const env = {
      ...NO_FILES,
      AWS_ROLE_ARN: 'arn:r',
      AWS_WEB_IDENTITY_TOKEN_FILE: file,
      AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${(sts.address() as AddressInfo).port}/`,
    };
    const requests = open(env);
    expect(await statusOf(requests)).toBe(200);
    writeFileSync(file, 'two');
    store.refusalOf = (id) => (id === 'one' ? 'ExpiredToken' : null);
    expect(await statusOf(requests)).toBe(200);
    sts.close();
  });

  test('a credentials endpoint on another machine gets no token over plain http', async () => {
    const env = { ...NO_FILES, AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://keys.example.com/x' };
    await expect(statusOf(open(env))).rejects.toMatchObject({ code: 's3-credentials' });
  });
});

const HOUR = 3_600_000;
const found = (id: string, expires: number): FoundCredentials => ({
  keys: { accessKeyId: id, secretAccessKey: 's' },
  source: 'a test',
  expires: new Date(expires),
  readAgainAfter: null,
});

describe('the clock of this machine', () => {
  test.each([-5 * HOUR, 5 * HOUR])('may be wrong by %i milliseconds', async (skew) => {
    const real = 1_800_000_000_000;
    let number = 0;
    const renewed = renewCredentials(async () => found(`K${(number += 1)}`, real + HOUR), { now: () => real + skew });
    const ids = [];
    for (let count = 0; count < 5; count += 1) ids.push((await renewed.current()).keys.accessKeyId);
    expect(ids).toEqual(Array(5).fill('K1'));
    const after = await renewed.after(await renewed.current());
    expect(after?.keys.accessKeyId).toBe('K2');
    expect((await renewed.current()).keys.accessKeyId).toBe('K2');
  });

  test('decides about renewals: five minutes before the end', async () => {
    let now = 0;
    let number = 0;
    const renewed = renewCredentials(async () => found(`K${(number += 1)}`, now + HOUR), { now: () => now });
    const id = async () => (await renewed.current()).keys.accessKeyId;
    expect(await id()).toBe('K1');
    now = HOUR - 301_000;
    expect(await id()).toBe('K1');
    now = HOUR - 299_000;
    // The earlier ones are used until the others have arrived.
    expect(await id()).toBe('K1');
    await wait(5);
    expect(await id()).toBe('K2');
    now += 2 * HOUR;
    expect(await id()).toBe('K3');
  });
});

import { afterEach, describe, expect, test } from 'vitest';
import { openS3, type S3Options } from '../../src/store/s3.ts';
import type { Store } from '../../src/store/store.ts';
import { type Ceph, cephMissing, openCeph } from '../support/ceph.ts';
import { type Mishap, type ObjectStore, type ObjectStoreOptions, openObjectStore } from '../support/object-store.ts';
import { storeContract } from './contract.ts';

const KEYS = {
  AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'a-secret-that-nobody-may-see',
  AWS_EC2_METADATA_DISABLED: 'true',
};

function options(endpoint: string, more: Partial<S3Options> = {}): S3Options {
  return { bucket: 'registry', prefix: '', region: 'eu-central-1', endpoint, env: KEYS, ...more };
}

describe.each(['s3', 'google'] as const)('conditions as %s has them', (conditions) => {
  storeContract(`a bucket by the rules of ${conditions}`, async () => {
    const server = await openObjectStore({ conditions });
    const more = conditions === 'google' ? { generations: true } : {};
    return {
      store: openS3(options(server.endpoint, more)),
      rival: openS3(options(server.endpoint, more)),
      cleanup: server.close,
    };
  });
});

const missing = cephMissing();
describe.skipIf(missing !== null && !process.env['CI'])(
  `a real object store${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    storeContract('a bucket of Ceph', async () => {
      const ceph: Ceph = await openCeph();
      const place = options(ceph.endpoint, { bucket: ceph.bucket, prefix: 'r/', env: ceph.env });
      return { store: openS3(place), rival: openS3(place), cleanup: async () => ceph.close() };
    });
  },
);

describe('what a bucket does to a write', () => {
  let server: ObjectStore | null = null;
  afterEach(() => server?.close());
  async function opened(how: ObjectStoreOptions = {}, more: Partial<S3Options> = {}): Promise<Store> {
    server = await openObjectStore(how);
    return openS3(options(server.endpoint, more));
  }
  const bytes = Buffer.from('{"apps":{}}');

  test.each<[Mishap]>([['reset-before'], ['reset-after'], ['500-before'], ['500-after'], ['503'], ['409']])(
    'a new file: %s, and it is there once',
    async (mishap) => {
      const store = await opened();
      await store.create('first.json', bytes);
      server!.next.push(mishap);
      expect(await store.create('a.json', bytes)).toBe('created');
      expect(server!.objects.get('registry/a.json')?.bytes).toEqual(bytes);
    },
  );

  test.each<[Mishap]>([['reset-before'], ['reset-after'], ['500-before'], ['500-after'], ['503'], ['409']])(
    'a change: %s, and it is made',
    async (mishap) => {
      const store = await opened();
      await store.create('a.json', bytes);
      const { token } = (await store.read('a.json'))!;
      server!.next.push(mishap);
      expect(await store.replace('a.json', Buffer.from('new'), token)).toBe('replaced');
      expect(server!.objects.get('registry/a.json')?.bytes.toString()).toBe('new');
    },
  );

  test('a change that somebody else was faster with, after no answer: is told from one of ours', async () => {
    const store = await opened();
    await store.create('a.json', bytes);
    const { token } = (await store.read('a.json'))!;
    const other = openS3(options(server!.endpoint));
    await other.replace('a.json', Buffer.from('theirs'), token);
    server!.next.push('reset-before');
    expect(await store.replace('a.json', Buffer.from('ours'), token)).toBe('changed');
    expect(server!.objects.get('registry/a.json')?.bytes.toString()).toBe('theirs');
  });

  test('a change that somebody else made just so, after no answer: is theirs', async () => {
    const store = await opened();
    await store.create('a.json', bytes);
    const { token } = (await store.read('a.json'))!;
    await openS3(options(server!.endpoint)).replace('a.json', Buffer.from('same'), token);
    server!.next.push('500-before');
    expect(await store.replace('a.json', Buffer.from('same'), token)).toBe('changed');
  });

  test('every file has its type and lifetime, and its digests go with it', async () => {
    const store = await opened({}, { prefix: 'r/' });
    for (const name of ['registry.json', 'icon.svg', '1.0.0.tar.gz', 'icon.png']) await store.create(name, bytes);
    const headers = (name: string) => server!.objects.get(`registry/r/${name}`)?.headers;
    expect(headers('registry.json')).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
    });
    expect(headers('1.0.0.tar.gz')).toMatchObject({
      'content-type': 'application/gzip',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(headers('icon.svg')?.['content-type']).toBe('image/svg+xml');
    expect(headers('icon.png')?.['content-type']).toBe('image/png');
    const puts = server!.requests.filter(({ method }) => method === 'PUT');
    expect(
      puts.every(
        (put) => put.headers['content-md5'] && /^[0-9a-f]{64}$/.test(put.headers['x-amz-content-sha256'] ?? ''),
      ),
    ).toBe(true);
  });

  test.each([
    ['lets a file be created twice', 'ignores', /created twice/],
    ['answers conditions with 501', 'unknown', /501/],
  ] as const)('a store that %s is refused before anything is written', async (_, conditions, words) => {
    const store = await opened({ conditions });
    await expect(store.create('a.json', bytes)).rejects.toMatchObject({
      code: 'store-unconditional',
      message: expect.stringMatching(words) as string,
    });
    expect([...server!.objects.keys()].filter((key) => !key.includes('probe'))).toEqual([]);
  });

  test('such a store is used where the user says so, with a look before each write', async () => {
    const store = await opened({ conditions: 'ignores' }, { unconditional: true });
    expect(await store.create('a.json', bytes)).toBe('created');
    expect(await store.create('a.json', Buffer.from('other'))).toBe('exists');
    const { token } = (await store.read('a.json'))!;
    expect(await store.replace('a.json', Buffer.from('new'), token)).toBe('replaced');
    expect(await store.replace('a.json', Buffer.from('newer'), token)).toBe('changed');
  });

  test.each([
    [403, 'AccessDenied', /s3:ListBucket/],
    [403, 'SignatureDoesNotMatch', /AWS_SECRET_ACCESS_KEY/],
    [403, 'RequestTimeTooSkewed', /clock/],
    [404, 'NoSuchBucket', /bucket/],
    [301, 'PermanentRedirect', /region/],
    [400, 'AuthorizationHeaderMalformed', /region/],
  ])('%i %s is told with what to do, and without secrets', async (status, code, hint) => {
    const store = await opened({ error: { status, code } });
    const error = await store
      .read('a.json')
      .catch((caught: unknown) => caught as Error & { hint: string; code: string });
    expect(error).toMatchObject({
      code: 's3-refused',
      message: expect.stringContaining(code) as string,
      hint: expect.stringMatching(hint) as string,
    });
    expect(JSON.stringify(error) + String(error)).not.toContain('a-secret-that');
  });

  test('what was never stored is null, and nothing is probed for reading alone', async () => {
    const store = await opened();
    expect(await store.read('a.json')).toBeNull();
    expect(server!.requests.map(({ method }) => method)).toEqual(['GET']);
  });
});

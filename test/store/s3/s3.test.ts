import { message } from '../../../src/core/text/message.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { AppregError, type Effect } from '../../../src/core/errors/error.ts';
import { openS3, type S3Options } from '../../../src/store/s3/s3.ts';
import type { Store } from '../../../src/store/store.ts';
import { openFaultProxy } from '../../support/fault-proxy.ts';
import { type Mishap, type ObjectStore, type ObjectStoreOptions, openObjectStore } from '../../support/object-store.ts';
import { storeContract, type StoreFault } from '../contract.ts';

const KEYS = {
  AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'a-secret-that-must-not-appear',
  AWS_EC2_METADATA_DISABLED: 'true',
};

/** Milliseconds: the stores of these tests are on this machine. */
const DELAYS = { requestRetryDelay: 2, visibilityDelay: 2 };

function options(endpoint: string, more: Partial<S3Options> = {}): S3Options {
  return { bucket: 'registry', prefix: '', region: 'eu-central-1', endpoint, env: KEYS, ...DELAYS, ...more };
}

describe.each(['s3', 'google'] as const)('with the conditions of %s', (conditions) => {
  let server: ObjectStore;
  const fault = (mishap: Mishap, code: string, effect: Effect | null): StoreFault => {
    let previous: ObjectStore['mishapOf'];
    return {
      name: mishap,
      code,
      effect,
      start() {
        previous = server.mishapOf;
        server.mishapOf = () => mishap;
      },
      end() {
        server.mishapOf = previous;
      },
    };
  };
  storeContract(
    `a bucket of ${conditions}`,
    async () => {
      server = await openObjectStore({ conditions });
      const more = conditions === 'google' ? { google: true } : {};
      return {
        store: openS3(options(server.endpoint, more)),
        rival: openS3(options(server.endpoint, more)),
        cleanup: server.close,
      };
    },
    {
      faults: [
        fault('403', 's3-refused', 'none'),
        fault('reset-before', 's3-unreachable', 'unknown'),
        fault('503', 's3-unreachable', 'unknown'),
        fault('truncate', 'write-corrupted', null),
      ],
    },
  );
});

describe('a write to a bucket', () => {
  let server: ObjectStore | null = null;
  afterEach(() => server?.close());
  async function opened(how: ObjectStoreOptions = {}, more: Partial<S3Options> = {}): Promise<Store> {
    server = await openObjectStore(how);
    return openS3(options(server.endpoint, more));
  }
  const bytes = Buffer.from('{"apps":{}}');

  test.each<[Mishap]>([['reset-before'], ['reset-after'], ['500-before'], ['500-after'], ['503'], ['409']])(
    'creates a file once despite %s',
    async (mishap) => {
      const store = await opened();
      await store.create('first.json', bytes);
      server!.next.push(mishap);
      expect(await store.create('a.json', bytes)).toBe('created');
      expect(server!.objects.get('registry/a.json')?.bytes).toEqual(bytes);
    },
  );

  test.each<[Mishap]>([['reset-before'], ['reset-after'], ['500-before'], ['500-after'], ['503'], ['409']])(
    'replaces a file despite %s',
    async (mishap) => {
      const store = await opened();
      await store.create('a.json', bytes);
      const { token } = (await store.read('a.json'))!;
      server!.next.push(mishap);
      expect(await store.replace('a.json', Buffer.from('new'), token)).toBe('replaced');
      expect(server!.objects.get('registry/a.json')?.bytes.toString()).toBe('new');
    },
  );

  test.each(['a.json', '1.0.0.tar.gz'])('is sent again if %s was stored truncated', async (path) => {
    const store = await opened();
    await store.create('first.json', bytes);
    server!.next.push('truncate', 'truncate');
    expect(await store.create(path, bytes)).toBe('created');
    expect(server!.objects.get(`registry/${path}`)?.bytes).toEqual(bytes);
    const { token } = (await store.read(path))!;
    server!.next.push('truncate');
    expect(await store.replace(path, Buffer.from('{"apps":{"a":1}}'), token)).toBe('replaced');
    expect(server!.objects.get(`registry/${path}`)?.bytes.toString()).toBe('{"apps":{"a":1}}');
  });

  test('is reported as corrupted if it is stored truncated every time', async () => {
    const store = await opened();
    await store.create('first.json', bytes);
    server!.next.push('truncate', 'truncate', 'truncate', 'truncate');
    await expect(store.create('a.json', bytes)).rejects.toMatchObject({
      code: 'write-corrupted',
      message: expect.stringMatching(/stored a\.json \(11 bytes\), but contains 5 different bytes/) as string,
    });
  });

  test('without a response is distinguished from a faster write of another publisher', async () => {
    const store = await opened();
    await store.create('a.json', bytes);
    const { token } = (await store.read('a.json'))!;
    const other = openS3(options(server!.endpoint));
    await other.replace('a.json', Buffer.from('theirs'), token);
    server!.next.push('reset-before');
    expect(await store.replace('a.json', Buffer.from('ours'), token)).toBe('changed');
    expect(server!.objects.get('registry/a.json')?.bytes.toString()).toBe('theirs');
  });

  test('without a response is distinguished from an identical write of another publisher', async () => {
    const store = await opened();
    await store.create('a.json', bytes);
    const { token } = (await store.read('a.json'))!;
    await openS3(options(server!.endpoint)).replace('a.json', Buffer.from('same'), token);
    server!.next.push('500-before');
    expect(await store.replace('a.json', Buffer.from('same'), token)).toBe('changed');
  });

  test('sends the type, lifetime and digests of each file', async () => {
    const store = await opened({}, { prefix: 'r/' });
    const attestation = '1.0.0.tar.gz.sigstore.json';
    for (const name of ['registry.json', 'icon.svg', '1.0.0.tar.gz', 'icon.png', attestation])
      await store.create(name, bytes);
    const headers = (name: string) => server!.objects.get(`registry/r/${name}`)?.headers;
    expect(headers('registry.json')).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
    });
    expect(headers('1.0.0.tar.gz')).toMatchObject({
      'content-type': 'application/gzip',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(headers(attestation)).toMatchObject({
      'content-type': 'application/vnd.dev.sigstore.bundle.v0.3+json',
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
    { name: 'allows the same file to be created twice', conditions: 'ignores', words: /created twice/ },
    { name: 'responds to conditions with 501', conditions: 'unknown', words: /501/ },
  ] as const)('is refused before it is sent if the store $name', async ({ conditions, words }) => {
    const store = await opened({ conditions });
    await expect(store.create('a.json', bytes)).rejects.toMatchObject({
      code: 'conditional-writes-unsupported',
      message: expect.stringMatching(words) as string,
    });
    expect([...server!.objects.keys()].filter((key) => !key.includes('probe'))).toEqual([]);
  });

  test('is made without conditions if the user allows it, with a read before each write', async () => {
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
    [
      400,
      'AuthorizationHeaderMalformed',
      /"region" of the store to "eu-west-9"/,
      'Use it.</Message><Region>eu-west-9</Region><Message>',
    ],
    [400, 'InvalidToken', /documentation/, 'The token a-session-that-must-not-appear is a-secret-that-must-not-appear'],
  ])(
    'that fails with %i %s is reported with advice and without secrets',
    async (status, code, hint, says = 'It says so.') => {
      const env = { ...KEYS, AWS_SESSION_TOKEN: 'a-session-that-must-not-appear' };
      const store = await opened({ error: { status, code, says } }, { env });
      const error = await store
        .read('a.json')
        .catch((caught: unknown) => caught as Error & { hint: string; code: string });
      expect(error).toMatchObject({
        code: 's3-refused',
        message: expect.stringContaining(code) as string,
        hint: expect.stringMatching(hint) as string,
      });
      expect(JSON.stringify(error) + String(error)).not.toMatch(/a-secret-that|a-session-that/);
    },
  );

  test('is not needed to read a missing file, for which no probe is sent', async () => {
    const store = await opened();
    expect(await store.read('a.json')).toBeNull();
    expect(server!.requests.map(({ method }) => method)).toEqual(['GET']);
  });
});

describe('the address of a bucket', () => {
  test.each<{ name: string; place: Partial<S3Options>; env: Record<string, string>; address: string }>([
    {
      name: 'on Amazon',
      place: { bucket: 'b', region: 'eu-west-1' },
      env: {},
      address: 'https://b.s3.eu-west-1.amazonaws.com/r/a.json',
    },
    {
      name: 'on Amazon without a region',
      place: { bucket: 'b' },
      env: {},
      address: 'https://b.s3.us-east-1.amazonaws.com/r/a.json',
    },
    {
      name: 'on Amazon with AWS_REGION',
      place: { bucket: 'b' },
      env: { AWS_REGION: 'ap-east-1' },
      address: 'https://b.s3.ap-east-1.amazonaws.com/r/a.json',
    },
    {
      name: 'with dots in its name',
      place: { bucket: 'apps.example.com', region: 'eu-west-1' },
      env: {},
      address: 'https://s3.eu-west-1.amazonaws.com/apps.example.com/r/a.json',
    },
    {
      name: 'in China',
      place: { bucket: 'b', region: 'cn-north-1' },
      env: {},
      address: 'https://b.s3.cn-north-1.amazonaws.com.cn/r/a.json',
    },
    {
      name: 'on R2',
      place: { bucket: 'b', region: 'auto', endpoint: 'https://id.r2.cloudflarestorage.com' },
      env: {},
      address: 'https://id.r2.cloudflarestorage.com/b/r/a.json',
    },
    {
      name: 'on Google',
      place: { bucket: 'b.c', endpoint: 'https://storage.googleapis.com/' },
      env: {},
      address: 'https://storage.googleapis.com/b.c/r/a.json',
    },
    {
      name: 'below a path',
      place: { bucket: 'b', endpoint: 'https://h.test/s3/' },
      env: {},
      address: 'https://h.test/s3/b/r/a.json',
    },
    {
      name: 'from AWS_ENDPOINT_URL_S3',
      place: { bucket: 'b' },
      env: { AWS_ENDPOINT_URL_S3: 'http://h.test:9000', AWS_ENDPOINT_URL: 'http://no.test' },
      address: 'http://h.test:9000/b/r/a.json',
    },
    {
      name: 'from AWS_ENDPOINT_URL',
      place: { bucket: 'b' },
      env: { AWS_ENDPOINT_URL: 'http://h.test' },
      address: 'http://h.test/b/r/a.json',
    },
    {
      name: 'with spaces and signs in its keys',
      place: { bucket: 'b', prefix: 'a b+c/', endpoint: 'http://h.test' },
      env: {},
      address: 'http://h.test/b/a%20b%2Bc/a.json',
    },
  ])('$name is correct', async ({ place, env, address }) => {
    const requested: string[] = [];
    const store = openS3({
      bucket: '',
      prefix: 'r/',
      region: null,
      endpoint: null,
      env: { ...KEYS, ...env },
      ...place,
      proxyFor(url) {
        requested.push(url.href);
        throw new AppregError('s3-unreachable', message`Enough seen.`, message``);
      },
    });
    await expect(store.read('a.json')).rejects.toMatchObject({ message: 'Enough seen.' });
    expect(requested).toEqual([address]);
  });

  test.each(['minio.local:9000', 'ftp://h.test', 'https://u:p-canary@h.test', '', 'https://h.test?x=1'])(
    'is refused with the invalid endpoint %j',
    (endpoint) => {
      const open = (): Store => openS3(options(endpoint));
      expect(open).toThrow(/not a valid URL/);
      expect(open).not.toThrow(/canary/);
    },
  );

  test('of Google receives only headers of Google', async () => {
    const server = await openObjectStore({ conditions: 'google' });
    const store = openS3(options(server.endpoint, { google: true }));
    await store.create('a.json', Buffer.from('{}'));
    const names = server.requests.flatMap(({ headers }) => Object.keys(headers));
    expect(names.filter((name) => name.startsWith('x-amz'))).toEqual([]);
    expect(names).toContain('x-goog-if-generation-match');
    await server.close();
  });
});

describe('a store with a proxy', () => {
  test.each(['http', 'https'] as const)(
    'sends requests for an endpoint by %s to the proxy, with its credentials',
    async (scheme) => {
      const server = await openObjectStore();
      const { port } = new URL(server.endpoint);
      const proxy = await openFaultProxy({ to: '127.0.0.1', login: 'user:a-proxy-secret' });
      const login = `Basic ${Buffer.from('user:a-proxy-secret').toString('base64')}`;
      const store = openS3(
        options(`${scheme}://s3.test:${port}`, {
          proxyFor: () => ({ uri: proxy.url, authorization: login }),
        }),
      );
      if (scheme === 'http') expect(await store.create('a.json', Buffer.from('{}'))).toBe('created');
      // The server has no certificate: the request to the proxy is what is tested.
      else await expect(store.read('a.json')).rejects.toMatchObject({ code: 's3-unreachable' });
      expect(proxy.requests[0]).toBe(
        scheme === 'http' ? `PUT http://s3.test:${port}/registry/.appreg-probe.txt` : `CONNECT s3.test:${port}`,
      );
      await Promise.all([server.close(), proxy.close()]);
    },
  );
});

import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { checkVersion, chooseVersion } from '../../src/publish/choose-version.ts';
import { appToPublish } from '../../src/publish/listed-app.ts';
import { planVersion } from '../../src/publish/publish-version.ts';
import type { VersionPlan } from '../../src/publish/version-plan.ts';
import type { AppregError } from '../../src/core/errors/error.ts';
import { artifact, BASE, JUDGEMENT, memoryStore, placeOf, tarGz } from './memory.ts';

const app = (metadata = `${BASE}apps/a/versions.json`): object => ({
  name: 'A',
  description: 'An app.',
  blockStyle: { iconUrl: `${BASE}apps/a/icon.svg`, color: '#112233' },
  appMetadataUrl: metadata,
});
const one = tarGz('one');
const two = tarGz('two');
const checksumOf = async (bytes: Buffer): Promise<string> => `sha256:${(await artifact(bytes)).content.sha256}`;

async function registry(
  versions: object[] = [],
  files: Record<string, string | Uint8Array> = {},
  entry = app(),
): Promise<ReturnType<typeof memoryStore>> {
  return memoryStore({
    'registry.json': JSON.stringify({ apps: { a: entry } }),
    'apps/a/versions.json': `${JSON.stringify({ versions }, null, 2)}\n`,
    ...files,
  });
}

async function plan(
  store: ReturnType<typeof memoryStore>,
  word: string,
  bytes: Buffer,
  url: string | null = null,
  settings = JUDGEMENT,
): Promise<VersionPlan> {
  const place = placeOf(store);
  return planVersion(
    place,
    await appToPublish(place, 'a'),
    { version: word, artifact: await artifact(bytes, url) },
    settings,
  );
}

async function refusal(promise: Promise<unknown>): Promise<AppregError> {
  return promise.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: AppregError) => error,
  );
}

async function listed(
  version: string,
  bytes: Buffer,
  url = `${BASE}apps/a/versions/${version}.tar.gz`,
): Promise<object> {
  return { version, artifactUrl: url, artifactChecksum: await checksumOf(bytes) };
}

describe('the plan of a version', () => {
  test('creates the artifact first and lists it last, and planning writes nothing', async () => {
    const store = await registry();
    const before = new Map(store.files);
    const planned = await plan(store, '1.0.0', one);
    expect(planned.plan.steps.map(({ kind, path }) => [kind, path])).toEqual([
      ['create', 'apps/a/versions/1.0.0.tar.gz'],
      ['edit', 'apps/a/versions.json'],
    ]);
    expect(planned.entry).toEqual(await listed('1.0.0', one));
    expect(planned.lines()?.added.join('\n')).toContain('"version": "1.0.0"');
    expect(store.files).toEqual(before);
  });

  test('only lists an artifact on another host', async () => {
    const url = 'https://releases.example.com/a/1.0.0.tar.gz';
    const planned = await plan(await registry(), '1.0.0', one, url);
    expect(planned.plan.steps.map(({ kind }) => kind)).toEqual(['edit']);
    expect(planned.entry.artifactUrl).toBe(url);
  });

  test.each([
    ['apps/a/versions.json', 'apps/a/versions/1.0.0.tar.gz'],
    ['a.json', 'a/1.0.0.tar.gz'],
    ['all/b', 'all/b-artifacts/1.0.0.tar.gz'],
    ['with space/versions.json', 'with space/versions/1.0.0.tar.gz'],
  ])('stores the artifact of %s at %s', async (metadata, path) => {
    const store = await registry([], { [metadata]: '{"versions":[]}' }, app(BASE + metadata.replaceAll(' ', '%20')));
    const planned = await plan(store, '1.0.0', one);
    expect(planned.path).toBe(path);
    expect(planned.entry.artifactUrl).toBe(BASE + path.replaceAll(' ', '%20'));
  });

  test('computes the edit again on the text of another writer', async () => {
    const { plan: made } = await plan(await registry(), '1.0.0', one);
    const step = made.steps.at(-1)!;
    const meanwhile = JSON.stringify({ versions: [await listed('0.9.0', two)] });
    const text = step.kind === 'edit' ? step.textAfter(meanwhile) : null;
    expect((JSON.parse(text!) as { versions: { version: string }[] }).versions.map((v) => v.version)).toEqual([
      '0.9.0',
      '1.0.0',
    ]);
  });
});

describe('a published version never changes', () => {
  test('the same bytes result in an empty plan', async () => {
    const store = await registry([await listed('1.0.0', one)], { 'apps/a/versions/1.0.0.tar.gz': one });
    expect(await plan(store, '1.0.0', one)).toMatchObject({ published: true, plan: { steps: [] } });
  });

  test('the same bytes at another URL result in an empty plan without a second copy', async () => {
    const url = 'https://releases.example.com/a/1.0.0.tar.gz';
    expect(await plan(await registry([await listed('1.0.0', one, url)]), '1.0.0', one)).toMatchObject({
      published: true,
      plan: { steps: [] },
      entry: { artifactUrl: url },
    });
  });

  test('a missing file of a listed version is stored again', async () => {
    const planned = await plan(await registry([await listed('1.0.0', one)]), '1.0.0', one);
    expect(planned).toMatchObject({
      published: true,
      plan: { steps: [{ kind: 'create', path: 'apps/a/versions/1.0.0.tar.gz' }] },
    });
  });

  test.each(['listed', 'not listed yet'])(
    'other bytes under a version that is %s are refused with both digests',
    async (what) => {
      const store = await registry(what === 'listed' ? [await listed('1.0.0', one)] : [], {
        'apps/a/versions/1.0.0.tar.gz': one,
      });
      const error = await refusal(plan(store, '1.0.0', two));
      expect(error).toMatchObject({ code: 'immutable', exit: 1 });
      expect(error.message).toContain(await checksumOf(one));
      expect(error.message).toContain(await checksumOf(two));
    },
  );

  test.each(['listed', 'not listed yet'])(
    'the same tar, compressed differently, under a version that is %s is refused, and the message says so',
    async (what) => {
      const other = gzipSync(gunzipSync(one), { level: 1 });
      const store = await registry(what === 'listed' ? [await listed('1.0.0', one)] : [], {
        'apps/a/versions/1.0.0.tar.gz': one,
      });
      const error = await refusal(plan(store, '1.0.0', other));
      expect(error).toMatchObject({ code: 'immutable', exit: 1, effect: 'none' });
      expect(error.message).toContain('with the same content, compressed differently');
      expect(error.message).toContain(await checksumOf(one));
      expect(error.message).toContain(await checksumOf(other));
    },
  );

  test.each<[string, Buffer]>([
    ['is damaged', gzipSync(gunzipSync(one), { level: 1 }).subarray(0, -9)],
    ['is not the listed one', two],
  ])('a stored artifact that %s is not compared', async (_, stored) => {
    const store = await registry([await listed('1.0.0', one)], { 'apps/a/versions/1.0.0.tar.gz': stored });
    const error = await refusal(plan(store, '1.0.0', gzipSync(gunzipSync(two), { level: 1 })));
    expect(error).toMatchObject({ code: 'immutable', exit: 1 });
    expect(error.message).toContain('with different bytes');
  });

  test('an unlisted artifact of an interrupted run is listed', async () => {
    const planned = await plan(await registry([], { 'apps/a/versions/1.0.0.tar.gz': one }), '1.0.0', one);
    expect(planned.published).toBe(false);
    expect(planned.plan.steps.map(({ kind }) => kind)).toEqual(['create', 'edit']);
  });

  test('an increment skips a version whose file exists with other bytes', async () => {
    const files = { 'apps/a/versions/1.0.1.tar.gz': two };
    const versions = [await listed('1.0.0', tarGz('zero'))];
    const skipping = await plan(await registry(versions, files), 'patch', one);
    expect(skipping.entry.version).toBe('1.0.2');
    expect(skipping.skipped).toEqual([{ version: '1.0.1', file: 'apps/a/versions/1.0.1.tar.gz' }]);
    const same = await plan(await registry(versions, files), 'patch', two);
    expect([same.entry.version, same.skipped]).toEqual(['1.0.1', []]);
    expect((await plan(await registry(versions, files), 'minor', one)).entry.version).toBe('1.1.0');
  });

  test('an increment skips a version that was published before with other bytes', async () => {
    const place = {
      ...placeOf(await registry([await listed('1.0.0', one)])),
      firstSeen: (key: string, version: string) => (key === 'a' && version === '1.0.1' ? 'sha256:0' : null),
    };
    const planned = (word: string): Promise<VersionPlan> =>
      appToPublish(place, 'a').then(async (found) =>
        planVersion(place, found, { version: word, artifact: await artifact(two) }, JUDGEMENT),
      );
    expect(await planned('patch')).toMatchObject({
      entry: { version: '1.0.2' },
      skipped: [{ version: '1.0.1', file: 'appreg.lock.json' }],
    });
    expect(await refusal(planned('1.0.1'))).toMatchObject({ code: 'immutable', exit: 1 });
    expect((await planned('1.1.0')).entry.version).toBe('1.1.0');
  });

  test('a version that was published before with these bytes is listed again, in whatever form its checksum is', async () => {
    const made = await artifact(two);
    const place = {
      ...placeOf(await registry([await listed('1.0.0', one)])),
      firstSeen: (_: string, version: string) =>
        version === '1.0.1' ? `sha256:${made.content.sha256.toUpperCase()}` : null,
    };
    const found = await appToPublish(place, 'a');
    for (const word of ['1.0.1', 'patch'])
      expect((await planVersion(place, found, { version: word, artifact: made }, JUDGEMENT)).entry.version).toBe(
        '1.0.1',
      );
  });

  test('an increment with the bytes of the highest version publishes nothing', async () => {
    const store = await registry([await listed('2.0.0', two), await listed('1.0.0', one)], {
      'apps/a/versions/2.0.0.tar.gz': two,
    });
    expect(await plan(store, 'patch', two)).toMatchObject({
      published: true,
      entry: { version: '2.0.0' },
      plan: { steps: [] },
    });
    expect(await plan(store, 'patch', tarGz('three'))).toMatchObject({ published: false, entry: { version: '2.0.1' } });
  });

  test.each([
    ['patch', '10.0.2'],
    ['minor', '10.1.0'],
    ['major', '11.0.0'],
  ])('%s with the bytes of an older version is refused, and the hint names the version %s', async (word, next) => {
    const store = await registry([await listed('10.0.0', one), await listed('10.0.1', two)], {
      'apps/a/versions/10.0.0.tar.gz': one,
      'apps/a/versions/10.0.1.tar.gz': two,
    });
    const error = await refusal(plan(store, word, one));
    expect(error).toMatchObject({ code: 'version-rollback', exit: 1 });
    expect(error.message).toMatch(/as a 10\.0\.0, and 10\.0\.1 is the latest.*Nothing was changed\.$/);
    expect(error.hint).toContain(`appreg publish-version a ${next} `);
    const allowed = { ...JUDGEMENT, allow: { same: ['a'] } };
    expect(await plan(store, next, one, null, allowed)).toMatchObject({ published: false, entry: { version: next } });
    expect(await plan(store, word, two)).toMatchObject({ published: true, entry: { version: '10.0.1' } });
  });

  test('the bytes of a pre-release above the latest version can be published', async () => {
    const store = await registry([await listed('1.0.0', one), await listed('2.0.0-rc.1', two)]);
    expect(await plan(store, 'major', two)).toMatchObject({ published: false, entry: { version: '2.0.0' } });
  });

  test('bytes of both the latest and an older version are already published', async () => {
    const store = await registry([await listed('1.0.0', one), await listed('1.0.1', one)], {
      'apps/a/versions/1.0.1.tar.gz': one,
    });
    expect(await plan(store, 'patch', one)).toMatchObject({ published: true, entry: { version: '1.0.1' } });
  });
});

describe('the rules', () => {
  test.each([
    { name: 'a file that is not an archive', bytes: Buffer.from('hello'), rule: 'artifact-not-tar-gz' },
    { name: 'a truncated archive', bytes: one.subarray(0, one.length - 10), rule: 'artifact-not-tar-gz' },
  ])('refuse $name', async ({ bytes, rule }) => {
    const error = await refusal(plan(await registry(), '1.0.0', bytes));
    expect(error).toMatchObject({ code: 'rule-violation', rules: [rule], exit: 1 });
    expect(error.message).toContain('Nothing was changed.');
  });

  test.each([
    { name: 'plain http', url: 'http://releases.example.com/1.tar.gz', rule: 'url-insecure' },
    { name: 'the URL of another version', url: `${BASE}apps/a/versions/0.9.0.tar.gz`, rule: 'artifact-url-shared' },
  ])('refuse an artifact URL with $name', async ({ url, rule }) => {
    expect(await refusal(plan(await registry([await listed('0.9.0', two)]), '1.0.0', one, url))).toMatchObject({
      code: 'rule-violation',
      rules: [rule],
      exit: 1,
    });
  });

  test('warn about a URL whose bytes can change', async () => {
    const planned = await plan(
      await registry(),
      '1.0.0',
      one,
      'https://github.com/o/r/releases/latest/download/a.tar.gz',
    );
    expect(planned.findings.map(({ rule, severity }) => [rule, severity])).toContainEqual(['url-unstable', 'warning']);
  });

  test('do not refuse a version because of existing errors', async () => {
    const store = await registry([{ version: 'v0.1', artifactUrl: 'nowhere', artifactChecksum: 'unknown' }]);
    expect((await plan(store, '1.0.0', one)).plan.steps).toHaveLength(2);
  });
});

describe('the app to publish is refused', () => {
  const cases: { what: string; entry: object | null; code: string; exit: number }[] = [
    { what: 'if it is not listed', entry: null, code: 'app-unknown', exit: 2 },
    {
      what: 'if its metadata is on another host',
      entry: app('https://raw.example.com/a/versions.json'),
      code: 'metadata-outside-workspace',
      exit: 2,
    },
    {
      what: 'if its metadata is outside the workspace',
      entry: app(`${BASE}..%2f..%2fetc/passwd`),
      code: 'metadata-outside-workspace',
      exit: 2,
    },
    { what: 'if it has no metadata URL', entry: { name: 'A' }, code: 'document-invalid', exit: 1 },
    {
      what: 'if its metadata is missing',
      entry: app(`${BASE}apps/gone/versions.json`),
      code: 'metadata-missing',
      exit: 2,
    },
  ];
  test.each(cases)('$what', async ({ entry, code, exit }) => {
    const store = memoryStore({ 'registry.json': JSON.stringify({ apps: entry === null ? {} : { a: entry } }) });
    expect(await refusal(appToPublish(placeOf(store), 'a'))).toMatchObject({ code, exit });
  });

  test.each(['../../etc/x', 'a/b', '..', '.', '', 'a b', 'é', 'a\u0000b'])(
    'if its key is %j, before any file is read',
    async (key) => {
      const store = memoryStore({});
      store.read = () => Promise.reject(new Error('read'));
      expect(await refusal(appToPublish(placeOf(store), key))).toMatchObject({ code: 'app-key-invalid', exit: 1 });
    },
  );

  test.each(['constructor', 'toString', '__proto__'])('if it is not listed and has the key %s', async (key) => {
    expect(await refusal(appToPublish(placeOf(memoryStore({ 'registry.json': '{"apps":{}}' })), key))).toMatchObject({
      code: 'app-unknown',
    });
  });
});

describe('the version to publish', () => {
  test.each([
    { word: 'patch', versions: ['1.2.3'], chosen: '1.2.4' },
    { word: 'minor', versions: ['1.2.3', '1.10.0'], chosen: '1.11.0' },
    { word: 'major', versions: ['1.2.3', '2.0.0-rc.1'], chosen: '2.0.0' },
    { word: 'patch', versions: ['9007199254740993.0.0'], chosen: '9007199254740993.0.1' },
    { word: '1.2.3', versions: [], chosen: '1.2.3' },
  ])('for $word of $versions is $chosen', ({ word, versions, chosen }) => {
    expect(chooseVersion(word, versions, 'a')).toBe(chosen);
  });

  test('cannot be incremented without a release', () => {
    expect(() => chooseVersion('minor', ['1.0.0-rc.1'], 'a')).toThrow(
      expect.objectContaining({
        code: 'no-version-to-increment',
        exit: 2,
        hint: expect.stringContaining('1.0.0') as string,
      }) as Error,
    );
  });

  test.each([
    { word: 'v1.2.3', code: 'version-invalid', exit: 2 },
    { word: '1.2', code: 'version-invalid', exit: 2 },
    { word: ' 1.2.3', code: 'version-invalid', exit: 2 },
    { word: '01.2.3', code: 'version-invalid', exit: 2 },
    { word: 'latest', code: 'version-invalid', exit: 2 },
    { word: 'Patch', code: 'version-invalid', exit: 2 },
    { word: '../1.0.0', code: 'version-invalid', exit: 2 },
    { word: '1.2.3-rc.1', code: 'prerelease-not-allowed', exit: 1 },
    { word: '1.2.3+b', code: 'prerelease-not-allowed', exit: 1 },
  ])('cannot be $word: $code', ({ word, code, exit }) => {
    expect(() => checkVersion(word, false)).toThrow(expect.objectContaining({ code, exit }) as Error);
    if (exit === 1) expect(() => checkVersion(word, true)).not.toThrow();
  });
});

import { expect, test } from 'vitest';
import { publishVersion } from '../../src/publish/publish-version.ts';
import type { Bytes } from '../../src/store/bytes.ts';
import { artifact, BASE, JUDGEMENT, memoryStore, placeOf, tarGz } from './memory.ts';

const METADATA = 'apps/a/versions.json';
const APP = { key: 'a', listing: null };

function registry(): ReturnType<typeof memoryStore> {
  const entry = {
    name: 'A',
    description: 'An app.',
    blockStyle: { iconUrl: `${BASE}a.svg`, color: '#112233' },
    appMetadataUrl: `${BASE}${METADATA}`,
  };
  const checksum = `sha256:${'0'.repeat(64)}`;
  const first = { version: '1.0.0', artifactUrl: `${BASE}x.tar.gz`, artifactChecksum: checksum };
  return memoryStore({
    'registry.json': JSON.stringify({ apps: { a: entry } }),
    [METADATA]: JSON.stringify({ versions: [first] }),
  });
}

// [at which read or write of the next version's file another publisher has just created it]
test.each([
  ['read', 1],
  ['read', 2],
  ['read', 3],
  ['write', 1],
])('an increment whose version is taken at %s %i continues with the next one', async (kind, at) => {
  const store = registry();
  const next = 'apps/a/versions/1.0.1.tar.gz';
  const seen = { read: 0, write: 0 };
  const rival = async (path: string, now: 'read' | 'write'): Promise<void> => {
    if (path === next && ++seen[now] === at && now === kind) await store.create(next, tarGz('theirs'));
  };
  const rivalled = {
    ...store,
    async read(path: string) {
      await rival(path, 'read');
      return store.read(path);
    },
    async digest(path: string) {
      await rival(path, 'read');
      return store.digest(path);
    },
    async create(path: string, bytes: Bytes) {
      await rival(path, 'write');
      return store.create(path, bytes);
    },
  };
  const done = await publishVersion(
    placeOf(rivalled),
    { ...APP, version: 'patch', artifact: await artifact(tarGz('ours')) },
    JUDGEMENT,
  );
  expect(done).toMatchObject({ isNew: true, planned: { entry: { version: '1.0.2' } } });
  expect(store.files.get(next)).toEqual(tarGz('theirs'));
  expect(store.files.get('apps/a/versions/1.0.2.tar.gz')).toEqual(tarGz('ours'));
});

test('a given version that is taken meanwhile is refused', async () => {
  const store = registry();
  const taken = {
    ...store,
    async create(path: string, bytes: Uint8Array) {
      await store.create(path, tarGz('theirs'));
      return store.create(path, bytes);
    },
  };
  const ours = publishVersion(
    placeOf(taken),
    { ...APP, version: '1.0.1', artifact: await artifact(tarGz('ours')) },
    JUDGEMENT,
  );
  await expect(ours).rejects.toMatchObject({ code: 'immutable', exit: 1 });
  expect(String(store.files.get(METADATA))).not.toContain('1.0.1');
});

import { afterEach, describe, expect, test } from 'vitest';
import { readPublicKey, shippedTrust } from '../../src/attestation/trust.ts';
import { verifyAttestation } from '../../src/attestation/verify.ts';
import { attesterFor } from '../../src/cli/check/attester.ts';
import { companionPath } from '../../src/core/registry/companion.ts';
import { judgeAttestation } from '../../src/core/attestation/judge.ts';
import { message } from '../../src/core/text/message.ts';
import { sha256Of } from '../../src/store/bytes.ts';
import type { ArtifactToStore, Attester, Companion } from '../../src/publish/artifact.ts';
import { planVersion, publishVersion, readApp } from '../../src/publish/publish-version.ts';
import type { Published } from '../../src/publish/version-attempts.ts';
import { remembering } from '../../src/store/remember.ts';
import type { Store } from '../../src/store/store.ts';
import { signedBy, statementOf, vendorKeys } from '../support/attest.ts';
import {
  history,
  Killed,
  killedAt,
  listed,
  OPTIONS,
  type Place,
  PLACE_NAMES,
  prepared,
  registryOf,
  planApps,
  publishApps,
} from './apps-fixture.ts';
import { artifact, JUDGEMENT, placeOf, tarGz } from '../publish/memory.ts';

/** Attestations beside artifacts, on every store. */

const places: Place[] = [];
afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

async function registry(name: string, keys: readonly string[] = ['a']): Promise<Place> {
  const place = await registryOf(name, keys);
  places.push(place);
  return place;
}

const { privateKey, publicKey } = vendorKeys();
const trust = shippedTrust(readPublicKey(publicKey, 'vendor.pub'));

/** As a process has it that signs with the key of the vendor. */
function keyAttester(dryRun = false): Promise<Attester> {
  const request = { wanted: { kind: 'key', variable: 'KEY' }, options: {}, dryRun } as const;
  return attesterFor({ cwd: '/', env: { KEY: privateKey } }, { config: {}, root: '/' }, request);
}

const ARTIFACT = 'apps/a/versions/1.0.0.tar.gz';
const BUNDLE = companionPath(ARTIFACT, 'attestation');
const BILL = companionPath(ARTIFACT, 'sbom');

/** An artifact of this code that is attested; with a bill of materials of this content. */
async function attested(code: string, bill: string | null = null, attester?: Attester): Promise<ArtifactToStore> {
  const made = await artifact(tarGz(code));
  if (made.bytes === null) throw new Error('it has bytes');
  const companion = (content: string): Companion => ({
    kind: 'sbom',
    bytes: Buffer.from(`${code}: ${content}`),
    what: 'the bill of materials',
    difference: (stored) => (Buffer.from(stored).toString().startsWith(code) ? null : message`It is another one.`),
  });
  return {
    ...made,
    attester: attester ?? (await keyAttester()),
    ...(bill !== null && { companions: () => [companion(bill)] }),
  };
}

function published(store: Store, version: string, made: ArtifactToStore): Promise<Published> {
  return publishVersion(placeOf(store), { key: 'a', version, artifact: made, listing: null }, JUDGEMENT);
}

/** Throws if the stored attestation does not prove the version, its artifact and its bill of materials, if it has one. */
async function proves(store: Store, version = '1.0.0', key = 'a'): Promise<Uint8Array> {
  const path = `apps/${key}/versions/${version}.tar.gz`;
  const bundle = (await store.read(companionPath(path, 'attestation')))?.bytes;
  if (bundle === undefined) throw new Error(`${path} has no attestation`);
  const sbom = await store.digest(companionPath(path, 'sbom'));
  const facts = verifyAttestation(bundle, trust);
  const problem = judgeAttestation(facts, {
    app: { key, version },
    sha256: (await store.digest(path))?.sha256 ?? '',
    sbomSha256: sbom?.sha256 ?? null,
    signer: { key: trust.key?.sha256 ?? '' },
  });
  expect(problem).toBeNull();
  const names = facts.content?.kind === 'statement' ? facts.content.statement.subjects.map((one) => one.name) : [];
  expect(names).toHaveLength(sbom === null ? 1 : 2);
  return bundle;
}

describe.each(PLACE_NAMES)('an attestation in a store: %s', (name) => {
  test('is stored before the version is listed, once; a dry run signs nothing', async () => {
    const place = await registry(name);
    const store = place.open();
    const dry = await attested('x', 'bill', await keyAttester(true));
    const wanted = { key: 'a', version: '1.0.0', artifact: dry, listing: null };
    const planned = await planVersion(placeOf(store), await readApp(placeOf(store), wanted), wanted, JUDGEMENT);
    expect(planned.plan.steps.map(({ kind, path }) => [kind, path])).toEqual([
      ['create', ARTIFACT],
      ['create', BILL],
      ['create', BUNDLE],
      ['edit', 'apps/a/versions.json'],
    ]);
    expect(planned.files).toContain(BUNDLE);
    expect(await place.open().read(BUNDLE)).toBeNull();

    expect((await published(place.open(), '1.0.0', await attested('x', 'bill'))).isNew).toBe(true);
    const bundle = await proves(place.open());
    expect(await listed(place.open(), ['a'])).toEqual(['a 1.0.0']);
    if (place.remote !== undefined) expect(history(place.remote).commits).toBe(2);
    // Another signature of the same statement has other bytes.
    const again = await published(place.open(), '1.0.0', await attested('x', 'bill'));
    expect([again.isNew, again.results]).toEqual([false, []]);
    expect(Buffer.from(await proves(place.open())).equals(bundle)).toBe(true);
  });

  test('is added to a version that has none', async () => {
    const place = await registry(name);
    const { attester: _, ...plain } = await attested('x');
    await published(place.open(), '1.0.0', plain);
    const added = await published(place.open(), '1.0.0', await attested('x'));
    expect([added.isNew, added.results.map(({ step }) => step.path)]).toEqual([false, [BUNDLE]]);
    await proves(place.open());
  });

  test('names the bill of materials that is stored already', async () => {
    const place = await registry(name);
    const { attester: _, ...plain } = await attested('x', 'first');
    await published(place.open(), '1.0.0', plain);
    await published(place.open(), '1.0.0', await attested('x', 'second'));
    await proves(place.open());
    expect(String((await place.open().read(BILL))?.bytes)).toBe('x: first');
  });

  test.each<[what: string, version: string, code: string, key: string, text: string]>([
    ['other bytes', '1.0.0', 'y', privateKey, 'The attestation is for other bytes'],
    ['another version', '2.0.0', 'x', privateKey, 'is for “a@2.0.0”, not for “a@1.0.0”'],
    ['another signer', '1.0.0', 'x', vendorKeys().privateKey, 'The signature is not valid for the given key'],
  ])('of %s is refused and kept', async (_, version, code, key, text) => {
    const place = await registry(name);
    const foreign = await signedBy(key, statementOf({ key: 'a', version }, tarGz(code)));
    await place.open().create(BUNDLE, foreign);
    const refused = published(place.open(), '1.0.0', await attested('x'));
    await expect(refused).rejects.toMatchObject({
      code: 'immutable',
      message: expect.stringContaining(text),
      effect: 'none',
    });
    expect(await listed(place.open(), ['a'])).toEqual([]);
    expect(sha256Of((await place.open().read(BUNDLE))?.bytes ?? Buffer.alloc(0))).toBe(sha256Of(foreign));
  });

  test('of another version makes an increment skip its number', async () => {
    const place = await registry(name);
    await place
      .open()
      .create(BUNDLE, await signedBy(privateKey, statementOf({ key: 'a', version: '2.0.0' }, tarGz('x'))));
    await published(place.open(), '0.9.9', await attested('w'));
    await published(place.open(), 'major', await attested('x'));
    expect(await listed(place.open(), ['a'])).toEqual(['a 0.9.9', 'a 1.0.1']);
    await proves(place.open(), '1.0.1');
  });

  test('survives a run that was killed at each write: the next run completes it', async () => {
    const outcomes = new Set<string>();
    for (const when of ['before', 'after'] as const) {
      // A commit is one write.
      for (let write = 0; write < (name === 'git' ? 1 : 4); write++) {
        const place = await registry(name);
        const outcome = await published(killedAt(place.open(), write, when), '1.0.0', await attested('x', 'b')).catch(
          (error: unknown) => error,
        );
        if (!(outcome instanceof Killed)) throw outcome;
        const left = await place.open().read(BUNDLE);
        // Nothing is listed without its evidence.
        const isListed = (await listed(place.open(), ['a'])).length > 0;
        expect(!isListed || left !== null).toBe(true);
        outcomes.add(`${isListed} ${left !== null}`);
        await published(place.open(), '1.0.0', await attested('x', 'b'));
        expect(await listed(place.open(), ['a'])).toEqual(['a 1.0.0']);
        const bundle = await proves(place.open());
        expect(left === null || Buffer.from(bundle).equals(left.bytes)).toBe(true);
      }
    }
    expect(outcomes).toContain('true true');
    // Between the attestation and the listing.
    if (name !== 'git') expect(outcomes).toContain('false true');
  });

  test('by two publishers at once is that of one of them, and both succeed', async () => {
    const place = await registry(name);
    const both = ['one', 'two', 'three'].map(async (bill) =>
      published(remembering(place.open()), '1.0.0', await attested('x', bill)),
    );
    await Promise.all(both);
    expect(await listed(place.open(), ['a'])).toEqual(['a 1.0.0']);
    await proves(place.open());
  });

  test('is published with each app of a release', async () => {
    const place = await registry(name, ['a', 'b']);
    const attester = await keyAttester();
    const apps = await Promise.all(
      ['a', 'b'].map(async (key) => ({ ...(await prepared(key)), artifact: await attested(key, 'bill', attester) })),
    );
    const { plan } = await planApps(placeOf(place.open()), apps, OPTIONS);
    expect(plan.steps.map(({ path }) => path)).toContain('apps/b/versions/1.0.0.tar.gz.sigstore.json');
    await publishApps(placeOf(place.open()), apps, OPTIONS);
    expect(await listed(place.open(), ['a', 'b'])).toEqual(['a 1.0.0', 'b 1.0.0']);
    await proves(place.open(), '1.0.0', 'a');
    await proves(place.open(), '1.0.0', 'b');
    if (place.remote !== undefined) expect(history(place.remote).commits).toBe(2);
  });
});

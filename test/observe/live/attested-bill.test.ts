import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { readPublicKey, shippedTrust } from '../../../src/attestation/trust.ts';
import { verifyAttestation } from '../../../src/attestation/verify.ts';
import { judge } from '../../../src/core/engine/judge.ts';
import type { Snapshot } from '../../../src/core/facts/facts.ts';
import { signedBy, statementOf, vendorKeys } from '../../support/attest.ts';
import { answer, type Behaviour, cutShort } from '../../support/fault-host.ts';
import { checkCase, liveFixture, verifyPatiently } from '../../support/live-fixture.ts';
import { faults } from '../../support/live-registry.ts';

/** The bill of materials that an attestation names is the one beside the artifact. */

const fixture = liveFixture();
const { privateKey, publicKey } = vendorKeys();
const trust = shippedTrust(readPublicKey(publicKey, 'vendor.pub'));
const signer = { key: trust.key?.sha256 ?? '' };
const attestations = (bundle: Uint8Array) => verifyAttestation(bundle, trust);
const REQUIRE = { attestations, requirement: { mode: 'require', signer } } as const;

const BILL = '{"bomFormat":"CycloneDX","specVersion":"1.6"}\n';
const BILL_PATH = '/2.tar.gz.cdx.json';
const bundleOf = (version: string, artifact: Uint8Array, bill: string | null): Promise<Uint8Array> =>
  signedBy(
    privateKey,
    statementOf({ key: 'app-a', version }, artifact, {
      sbomSha256: bill === null ? null : createHash('sha256').update(bill).digest('hex'),
    }),
  );

/** The attestation of the highest version names a bill; that of the other one does not. */
beforeEach(async () => {
  const { older, artifact } = fixture.live;
  fixture.host.on('/1.tar.gz.sigstore.json', answer({ body: await bundleOf('1.0.0', older, null) }));
  fixture.host.on('/2.tar.gz.sigstore.json', answer({ body: await bundleOf('2.0.0', artifact, BILL) }));
});

const DIFFERS = ['error attestation-invalid digest (artifact 2.0.0)'];
const cases: [string, () => Behaviour, string[]][] = [
  ['the same file', () => answer({ body: BILL }), []],
  ['another file', () => answer({ body: BILL.replace('1.6', '1.5') }), DIFFERS],
  ['an empty file', () => answer({ body: '' }), DIFFERS],
  ['a file of 1 GB', () => cutShort(1e9, Buffer.alloc(11_000_000, '{'), 'keep'), DIFFERS],
  ['no file', () => answer({ status: 404 }), []],
];
test.each(cases)('%s', async (_, behaviour, expected) => {
  await checkCase(fixture, {
    serve: () => fixture.host.on(BILL_PATH, behaviour()),
    expect: expected,
    options: REQUIRE,
  });
});

test('the finding names both digests, and saved facts give the same verdict', async () => {
  fixture.host.on(BILL_PATH, answer({ body: 'changed' }));
  const { url } = fixture.live;
  const { report, manifest, apps } = await verifyPatiently(url, REQUIRE);
  expect(report.findings.find(({ rule }) => rule === 'attestation-invalid')?.message).toMatch(
    /^The attestation names another bill of materials: sha256:[0-9a-f]{64}, not sha256:[0-9a-f]{64}\.$/,
  );
  const seenAt = new Date().toISOString();
  const facts = { snapshot: 1, target: url, seenAt, origins: [], manifest, apps, orphans: [] };
  const saved = JSON.parse(JSON.stringify({ ...facts, attestations: REQUIRE.requirement })) as Snapshot;
  expect(judge(saved, { command: 'verify' }).findings).toEqual(report.findings);
});

test('a bill is requested only if an attestation names it', async () => {
  fixture.host.on(BILL_PATH, answer({ body: BILL }));
  await verifyPatiently(fixture.live.url, REQUIRE);
  const requested = fixture.host.requests.map(({ path }) => path).filter((path) => path.endsWith('.cdx.json'));
  expect(requested).toEqual([BILL_PATH]);
});

describe('a host that does not send the bill', () => {
  beforeEach(() => fixture.host.on(BILL_PATH, answer({ status: 503 })));

  test('leaves it open whether the bill is the attested one; the version is proved without it', async () => {
    const { report } = await verifyPatiently(fixture.live.url, REQUIRE);
    expect(faults(report)).toEqual([]);
    const reasons = report.notJudged.filter(({ rule }) => rule === 'attestation-invalid').map(({ reason }) => reason);
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(/request for the bill of materials failed.*503/);
    expect(report.apps).toMatchObject([{ visible: true, latest: '2.0.0' }]);
  });

  test('does not hide another problem', async () => {
    const other = await bundleOf('2.0.0', fixture.live.older, BILL);
    fixture.host.on('/2.tar.gz.sigstore.json', answer({ body: other }));
    const { report } = await verifyPatiently(fixture.live.url, REQUIRE);
    expect(faults(report)).toEqual(DIFFERS);
  });
});

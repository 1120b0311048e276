import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { keylessSigner } from '../../../src/attestation/keyless.ts';
import { createAttestation } from '../../../src/attestation/sign.ts';
import { readTrustedRoot } from '../../../src/attestation/trust.ts';
import { verifyAttestation } from '../../../src/attestation/verify.ts';
import type { AttestationRequirement } from '../../../src/core/facts/attestation.ts';
import { statementOf } from '../../support/attest.ts';
import { answer } from '../../support/fault-host.ts';
import { checkCase, liveFixture, verifyPatiently } from '../../support/live-fixture.ts';
import { faults, type VerifiedOptions } from '../../support/live-registry.ts';
import { gitHubToken, type SigningService, startSigningService } from '../../support/signing-service.ts';

/** Attestations of a CI system: who signed them, and the trusted root that they are verified with. */

const fixture = liveFixture();
const ISSUER = 'https://token.actions.githubusercontent.com';
const ACME = { issuer: ISSUER, identity: null, repository: 'https://github.com/acme/apps' };

let service: SigningService;
let other: SigningService;
beforeAll(async () => {
  service = await startSigningService();
  other = await startSigningService();
});
afterAll(() => Promise.all([service.close(), other.close()]));

beforeEach(async () => {
  const services = { fulcioUrl: service.url, rekorUrl: service.url };
  const signer = keylessSigner({ SIGSTORE_ID_TOKEN: gitHubToken() }, services);
  const { older, artifact } = fixture.live;
  for (const [version, bytes] of [
    ['1', older],
    ['2', artifact],
  ] as const) {
    const statement = statementOf({ key: 'app-a', version: `${version}.0.0` }, bytes);
    fixture.host.on(`/${version}.tar.gz.sigstore.json`, answer({ body: await createAttestation(statement, signer) }));
  }
});

function checking(
  signer: AttestationRequirement['signer'],
  mode: AttestationRequirement['mode'] = 'require',
  root: string = service.trustedRoot,
): VerifiedOptions {
  const trust = readTrustedRoot(root, 'root.json');
  return { attestations: (bundle) => verifyAttestation(bundle, trust), requirement: { mode, signer } };
}

const bothBy = (cause: string): string[] =>
  ['1.0.0', '2.0.0'].map((version) => `error attestation-identity ${cause} (artifact ${version})`);

test.each<[string, AttestationRequirement['signer'], string[]]>([
  ['the expected repository', ACME, []],
  ['any signer', null, []],
  ['another repository', { ...ACME, repository: 'https://github.com/acme/other' }, bothBy('repository')],
  ['another workflow', { ...ACME, identity: 'https://github.com/*/*/.github/workflows/x.yml@**' }, bothBy('identity')],
  ['another issuer', { ...ACME, issuer: 'https://gitlab.com' }, bothBy('issuer')],
  ['a key', { key: '0'.repeat(64) }, bothBy('key')],
])('%s is expected', async (_, signer, expected) => {
  await checkCase(fixture, { serve: () => {}, expect: expected, options: checking(signer) });
});

test('a finding names who signed what', async () => {
  const { report } = await verifyPatiently(fixture.live.url, checking({ ...ACME, issuer: 'https://gitlab.com' }));
  expect(report.findings.find(({ version }) => version === '2.0.0')).toMatchObject({
    rule: 'attestation-identity',
    message: `The issuer of the signer is “${ISSUER}”, not “https://gitlab.com”.`,
    url: `${fixture.host.origin}/2.tar.gz.sigstore.json`,
    pointer: '/versions/0/artifactUrl',
    evidence: {
      subjects: ['app-a@2.0.0'],
      issuer: ISSUER,
      repository: 'https://github.com/acme/apps',
      commit: 'f00dcafef00dcafef00dcafef00dcafef00dcafe',
    },
  });
});

test('a trusted root that is too old blames itself, once, and nothing is offered', async () => {
  const { report } = await verifyPatiently(fixture.live.url, checking(ACME, 'require', other.trustedRoot));
  expect(faults(report)).toEqual(['warning attestation-invalid root-outdated (artifact 2.0.0)']);
  expect(report.outcome).toBe('incomplete');
  expect(report.notJudged.find(({ rule }) => rule === '*')?.reason).toContain('those of 2 versions are not known');
  expect(report.apps).toMatchObject([{ visible: null, latest: null }]);
});

test('with report, a trusted root that is too old keeps nothing from being offered', async () => {
  const { report } = await verifyPatiently(fixture.live.url, checking(ACME, 'report', other.trustedRoot));
  expect(faults(report)).toEqual(['warning attestation-invalid root-outdated (artifact 2.0.0)']);
  expect(report.outcome).not.toBe('incomplete');
  expect(report.apps).toMatchObject([{ visible: true, latest: '2.0.0' }]);
});

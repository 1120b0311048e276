import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { keylessSigner } from '../../../src/attestation/keyless.ts';
import { createAttestation } from '../../../src/attestation/sign.ts';
import { ciRunOf } from '../../../src/core/attestation/build-types.ts';
import { versionsOf } from '../../src/db/versions.ts';
import { type VersionView } from '../../src/domain/apps.ts';
import { readPolicy } from '../../src/domain/signers.ts';
import { setAttestationPolicy } from '../../src/db/signers.ts';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { statementOf } from '../../../test/support/attest.ts';
import { answer, CORS, type FaultHost, openFaultHost } from '../../../test/support/fault-host.ts';
import { putRegistry } from '../../../test/support/live-registry.ts';
import { gitHubToken, type SigningService, startSigningService } from '../../../test/support/signing-service.ts';
import { openRefreshHarness, type RefreshHarness } from './refresh-harness.ts';

/** Attestations without a key: signed with a certificate, and verified with the trusted root of the operator. */

const ISSUER = 'https://token.actions.githubusercontent.com';
const REPOSITORY = 'https://github.com/acme/apps';
const COMMIT = 'f00dcafef00dcafef00dcafef00dcafef00dcafe';

let host: FaultHost;
let signing: SigningService;
let harness: RefreshHarness;
beforeAll(async () => {
  signing = await startSigningService();
  harness = await openRefreshHarness({ trustedRoot: signing.trustedRoot });
});
afterAll(() => Promise.all([harness.stop(), signing.close()]));
beforeEach(async () => {
  host = await openFaultHost();
});
afterEach(() => host.close());

/** The highest version, as a subscription sees it that requires attestations of a repository. */
async function newest(repository: string, at = 0): Promise<VersionView> {
  const live = putRegistry(host);
  const run = ciRunOf({
    GITHUB_ACTIONS: 'true',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/apps',
    GITHUB_SHA: COMMIT,
    GITHUB_RUN_ID: '7',
    GITHUB_WORKFLOW_REF: 'acme/apps/.github/workflows/release.yml@refs/tags/v1.2.0',
  });
  const signer = keylessSigner({ SIGSTORE_ID_TOKEN: gitHubToken() }, { fulcioUrl: signing.url, rekorUrl: signing.url });
  const body = await createAttestation(statementOf({ key: 'app-a', version: '2.0.0' }, live.artifact, { run }), signer);
  host.on('/2.tar.gz.sigstore.json', answer({ headers: CORS, body }));
  const registry = await harness.add(live.url);
  const { organizationId, id } = await harness.db
    .selectFrom('subscriptions')
    .where('registryId', '=', registry)
    .select(['organizationId', 'id'])
    .executeTakeFirstOrThrow();
  const policy = readPolicy({ mode: 'require', issuer: ISSUER, identity: '', repository, publicKey: '' });
  if ('faults' in policy) throw new Error('The policy is valid.');
  await setAttestationPolicy(harness.db, { organizationId, subscriptionId: id, actor: SERVICE_ACTOR }, policy);
  await harness.refresh(registry, at);
  const list = await versionsOf(harness.db, organizationId, id, 'app-a', { limit: 1, after: null });
  return list!.versions[0]!;
}

test('a version that the repository built is offered, with its workflow and commit', async () => {
  expect(await newest(REPOSITORY)).toMatchObject({
    version: '2.0.0',
    offered: true,
    attestation: {
      state: 'verified',
      build: {
        issuer: ISSUER,
        identity: `${REPOSITORY}/.github/workflows/release.yml@refs/tags/v1.2.0`,
        repository: REPOSITORY,
        commit: COMMIT,
        run: `${REPOSITORY}/actions/runs/7/attempts/1`,
      },
    },
  });
});

test('one of another repository is refused', async () => {
  expect(await newest('https://github.com/acme/other')).toMatchObject({
    offered: false,
    attestation: { state: 'refused', reason: { rule: 'attestation-identity', cause: 'repository' } },
  });
});

test('the root that the package contains is older than a private instance: the version stays pending', async () => {
  harness.context.settings.trustedRoot = null;
  try {
    expect(await newest(REPOSITORY)).toMatchObject({
      offered: false,
      attestation: { state: 'pending', reason: { rule: 'attestation-invalid', cause: 'root-outdated' } },
    });
  } finally {
    harness.context.settings.trustedRoot = signing.trustedRoot;
  }
});

import type { Db } from '../database/database.ts';
import { decisionsOf } from './decisions-store.ts';
import { evidenceOf } from './evidence-store.ts';
import { type AttestationMode, keyOf, policyOf, type SignerRequirement } from './policy.ts';
import type { AttestationView } from './schema.ts';
import { attestationView } from './version-view.ts';

/** The attestation of a version, and whether the version is offered as far as its attestation decides it. */
export interface JudgedVersion {
  view: AttestationView;
  isOffered: boolean;
}

/** An app, as a subscription sees it. */
interface AppOfSubscription {
  registryId: number;
  appKey: string;
  subscriptionId: string;
  attestations: AttestationMode;
  attestationSigner: SignerRequirement | null;
}

interface VersionState {
  version: string;
  artifactChecksum: string;
  state: 'pending' | 'verified' | 'refused';
}

/** The attestations of verified versions, by version; none if the subscription does not want attestations. */
export async function judgedVersions(
  db: Db,
  app: AppOfSubscription,
  versions: readonly VersionState[],
): Promise<Map<string, JudgedVersion>> {
  const { registryId, appKey, subscriptionId } = app;
  const policy = policyOf(app.attestations, app.attestationSigner);
  if (policy.mode === 'off') return new Map();
  const { mode, signer } = policy;
  const names = versions.map(({ version }) => version);
  const [evidence, decisions] = await Promise.all([
    evidenceOf(db, { registryId, appKey, keySha256: keyOf(signer) }, names),
    decisionsOf(db, subscriptionId, appKey, names),
  ]);
  const verified = versions.filter(({ state }) => state === 'verified');
  return new Map(
    verified.map(({ version, artifactChecksum: checksum }) => {
      const decision = decisions.get(version) ?? null;
      const known = { evidence: evidence.get(version) ?? null, decision };
      const isAllowed = decision?.checksum === checksum && decision.decision !== 'held';
      const view = attestationView({ key: appKey, version, checksum }, signer, known);
      return [version, { view, isOffered: mode === 'report' || isAllowed }];
    }),
  );
}

import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import { type AttestationMode, keyOf, policyOf, type SignerRequirement } from './policy.ts';
import type { AttestationView } from './schema.ts';
import { attestationView, type Decision, type Evidence } from './verdict.ts';

/** The attestations of an app's versions, as a subscription sees them. */

/** What is known about versions of an app, verified with one key or without, by version. */
async function evidenceOf(
  db: Db,
  { registryId, appKey, keySha256 }: { registryId: number; appKey: string; keySha256: string },
  versions: readonly string[],
): Promise<Map<string, Evidence>> {
  const rows = await db
    .selectFrom('attestations')
    .where('registryId', '=', registryId)
    .where('appKey', '=', appKey)
    .where('keySha256', '=', keySha256)
    .where('version', '=', sql<string>`ANY(${versions})`)
    .select(['version', 'checksum', 'state', 'facts'])
    .execute();
  return new Map(rows.map(({ version, ...evidence }) => [version, evidence]));
}

/** The decisions about versions of an app, by version. */
async function decisionsOf(
  db: Db,
  subscriptionId: string,
  appKey: string,
  versions: readonly string[],
): Promise<Map<string, Decision>> {
  const rows = await db
    .selectFrom('attestationDecisions')
    .where('subscriptionId', '=', subscriptionId)
    .where('appKey', '=', appKey)
    .where('version', '=', sql<string>`ANY(${versions})`)
    .select(['version', 'checksum', 'decision', 'heldSince'])
    .execute();
  return new Map(rows.map(({ version, ...decision }) => [version, decision]));
}

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

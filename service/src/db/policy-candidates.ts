import type { AttestationState, PolicyDocument, Retirement } from 'appreg';
import { type AttestationMode, type SignerRequirement, policyOf, keyOf } from '../domain/signers.ts';
import { type Db } from './database.ts';
import { DEFAULT_LIMITS } from '../config/settings.ts';
import { type CandidateApp, type CandidateVersion, type PolicyDecisionRow } from '../domain/policies.ts';
import { sql } from 'kysely';
import { CONFIRMED, ALLOWED_TO, POLICY_DECISION, VERSION_OF_APP, OFFERED, ATTESTED_TO } from './conditions.ts';
import { type Evidence, verdictOf } from '../domain/attestations.ts';

/** The versions that a subscription would be offered without its policy, as its policy sees them. */

/** A subscription, as far as its policy depends on it. */
export interface PolicedSubscription {
  id: string;
  registryId: number;
  registrySince: Date;
  /** When the host first served the manifest for it; null before that. */
  confirmedAt: Date | null;
  policy: PolicyDocument | null;
  attestations: AttestationMode;
  attestationSigner: SignerRequirement | null;
}

export const POLICED_COLUMNS = [
  'id',
  'registryId',
  'registrySince',
  'confirmedAt',
  'policy',
  'attestations',
  'attestationSigner',
] as const;

/** Apps per query: each may have many versions. */
const BATCH_SIZE = 100;

/** The keys of a registry's apps, in batches. */
export async function appKeyBatches(db: Db, registryId: number): Promise<string[][]> {
  const rows = await db
    .selectFrom('apps')
    .where('registryId', '=', registryId)
    .where('listed', '=', true)
    .select('key')
    .orderBy('key')
    .execute();
  const keys = rows.map(({ key }) => key);
  return Array.from({ length: Math.ceil(keys.length / BATCH_SIZE) }, (_, i) =>
    keys.slice(i * BATCH_SIZE, (i + 1) * BATCH_SIZE),
  );
}

/**
 * The end of the subscription's first look: what was there then may be of any age. For the first subscriber of a registry,
 * that is the check in which its host first serves the manifest, until the longest time that a check takes.
 */
function firstLookOf({ registrySince, confirmedAt }: PolicedSubscription): Date {
  const end = confirmedAt === null ? registrySince : new Date(confirmedAt.getTime() + DEFAULT_LIMITS.refresh);
  return end > registrySince ? end : registrySince;
}

/** @param keys of apps, as of `appKeyBatches` */
export async function candidatesOf(
  db: Db,
  subscription: PolicedSubscription,
  keys: readonly string[],
): Promise<CandidateApp[]> {
  const { id } = subscription;
  const watchedSince = firstLookOf(subscription);
  const signing = policyOf(subscription.attestations, subscription.attestationSigner);
  const signer = signing.mode === 'off' ? null : signing.signer;
  const keySha256 = signer === null ? null : keyOf(signer);
  const { rows } = await sql<CandidateRow>`
    SELECT versions.app_key, versions.version, versions.artifact_checksum AS checksum,
      greatest(versions.first_seen_at, subscriptions.registry_since) AS first_seen_at,
      (${CONFIRMED} AND ${ALLOWED_TO}) AS is_offered, known.state, known.facts, claimed.deprecated,
      (SELECT json_build_object('cause', policed.cause, 'line', policed.line, 'offeredAt', policed.offered_at)
        FROM ${POLICY_DECISION}) AS decision
    FROM subscriptions
      JOIN versions ON versions.registry_id = subscriptions.registry_id
      JOIN apps ON ${VERSION_OF_APP}
      LEFT JOIN attestations AS known ON known.registry_id = versions.registry_id AND known.app_key = versions.app_key
        AND known.version = versions.version AND known.key_sha256 = ${keySha256}
        AND known.checksum = versions.artifact_checksum
      LEFT JOIN about_versions AS claimed ON claimed.registry_id = versions.registry_id
        AND claimed.app_key = versions.app_key AND claimed.version = versions.version
    WHERE subscriptions.id = ${id} AND versions.app_key = ANY(${keys}) AND ${IS_CANDIDATE}
    ORDER BY versions.app_key, versions.version`.execute(db);
  const apps = new Map(keys.map((key) => [key, [] as CandidateVersion[]]));
  for (const row of rows) apps.get(row.appKey)?.push(candidate(row, signer));
  return [...apps].map(([key, versions]) => {
    const about = { versions: new Map(versions.map((one) => [one.version, one])) };
    return { key, about, watchedSince, versions };
  });
}

/** A version that would be offered to the subscription without its policy. */
export const IS_CANDIDATE = sql<boolean>`(apps.listed AND ${OFFERED} AND ${ATTESTED_TO})`;

interface CandidateRow {
  appKey: string;
  version: string;
  checksum: string;
  firstSeenAt: Date;
  isOffered: boolean;
  state: Evidence['state'] | null;
  facts: Evidence['facts'];
  deprecated: Retirement | null;
  decision: { cause: PolicyDecisionRow['cause']; line: string | null; offeredAt: string | null } | null;
}

function candidate(row: CandidateRow, signer: SignerRequirement | null): CandidateVersion {
  const { version, checksum, deprecated, firstSeenAt, isOffered, decision } = row;
  return {
    version,
    checksum,
    deprecated,
    firstSeenAt,
    isOffered,
    attestation: attestationState(row, signer),
    decision: decision && { ...decision, offeredAt: decision.offeredAt === null ? null : new Date(decision.offeredAt) },
  };
}

function attestationState(
  { appKey, version, checksum, state, facts }: CandidateRow,
  signer: SignerRequirement | null,
): AttestationState {
  if (signer === null) return 'off';
  const evidence = state === null ? null : { checksum, state, facts };
  const verdict = verdictOf(evidence, { key: appKey, version, checksum }, signer);
  return verdict.state === 'url-signed' ? 'pending' : verdict.state;
}

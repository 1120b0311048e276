import { type Db } from './database.ts';
import { sql } from 'kysely';
import {
  type Evidence,
  type Decision,
  verdictOf,
  nextDecision,
  attestationEvent,
  attestationView,
} from '../domain/attestations.ts';
import { VERSION_OF_APP, OFFERED, CONFIRMED } from './conditions.ts';
import { storableJson } from '../domain/storable.ts';
import { policyOf, keyOf, type SignerRequirement, type AttestationMode } from '../domain/signers.ts';
import { type EventToRecord } from '../domain/events.ts';
import { recordEvents } from './events.ts';
import { type AttestationView } from '../domain/attestation-view.ts';

/**
 * Evidence and decisions about attestations that a refresh reads and writes: what is known about them, for all
 * subscribers of a registry, and which versions are offered to those that require them.
 */

/** A key that subscribers of a registry want attestations to be verified with; without a key, `keySha256` is ''. */
export interface WantedKey {
  keySha256: string;
  /** PEM; null without a key. */
  publicKey: string | null;
}

/** The keys that the subscribers of a registry want; none if no subscriber wants attestations. */
export async function wantedKeys(db: Db, registryId: number): Promise<WantedKey[]> {
  const { rows } = await sql<WantedKey>`
    SELECT DISTINCT ON (1) coalesce(attestation_signer->>'keySha256', '') AS key_sha256,
      attestation_signer->>'publicKey' AS public_key
    FROM subscriptions JOIN organizations ON organizations.id = subscriptions.organization_id
    WHERE registry_id = ${registryId} AND attestations <> 'off' AND organizations.suspended_at IS NULL
    ORDER BY 1`.execute(db);
  return rows;
}

/** An offered version whose host is to be asked for its attestation, and what is known about it. */
export interface DueAttestation {
  appKey: string;
  version: string;
  artifactUrl: string;
  checksum: string;
  keySha256: string;
  /** Null if its host was not asked yet, or about another digest. */
  evidence: Evidence | null;
}

interface DueQuery {
  keys: readonly string[];
  now: Date;
  limit: number;
}

/**
 * The attestations to ask for: those that were never asked for, those that are unknown, and once a day those that are
 * missing or invalid; in the first day of a version, at every check.
 */
export async function dueAttestations(
  db: Db,
  registryId: number,
  { keys, now, limit }: DueQuery,
): Promise<DueAttestation[]> {
  const { rows } = await sql<
    Omit<DueAttestation, 'evidence'> & { state: Evidence['state'] | null; facts: Evidence['facts'] }
  >`
    SELECT versions.app_key, versions.version, versions.artifact_url, versions.artifact_checksum AS checksum,
      keys.key_sha256, known.state, known.facts
    FROM versions
      JOIN apps ON ${VERSION_OF_APP} AND apps.listed
      CROSS JOIN unnest(${keys}::text[]) AS keys (key_sha256)
      LEFT JOIN attestations AS known ON known.registry_id = versions.registry_id AND known.app_key = versions.app_key
        AND known.version = versions.version AND known.key_sha256 = keys.key_sha256
        AND known.checksum = versions.artifact_checksum
    WHERE versions.registry_id = ${registryId} AND ${OFFERED}
      AND (known.state IS NULL OR known.state IN ('unknown', 'url-signed')
        OR known.state <> 'proven' AND (known.asked_at <= ${now}::timestamptz - INTERVAL '1 day'
          OR versions.first_seen_at > ${now}::timestamptz - INTERVAL '1 day'))
    ORDER BY known.asked_at NULLS FIRST, versions.first_seen_at DESC, versions.app_key, versions.version
    LIMIT ${limit}`.execute(db);
  return rows.map(({ state, facts, ...row }) => ({
    ...row,
    evidence: state === null ? null : { checksum: row.checksum, state, facts },
  }));
}

/** Evidence about the attestation of a version. */
export interface FoundEvidence {
  appKey: string;
  version: string;
  keySha256: string;
  evidence: Evidence;
}

/** Records what was found; nothing about a version that has another digest by now, and nothing in place of a proof. */
export async function writeEvidence(
  db: Db,
  registryId: number,
  found: readonly FoundEvidence[],
  at: Date,
): Promise<void> {
  for (const { appKey, version, keySha256, evidence } of found) {
    const { checksum, state, facts } = evidence;
    const json = facts === null ? null : storableJson(facts);
    await sql`
      INSERT INTO attestations AS known (registry_id, app_key, version, key_sha256, checksum, state, facts, asked_at)
      SELECT registry_id, app_key, version, ${keySha256}, artifact_checksum, ${state}, ${json}::jsonb, ${at}
      FROM versions
      WHERE registry_id = ${registryId} AND app_key = ${appKey} AND version = ${version}
        AND artifact_checksum = ${checksum}
      ON CONFLICT (registry_id, app_key, version, key_sha256) DO UPDATE
        SET checksum = excluded.checksum, state = excluded.state, facts = excluded.facts, asked_at = excluded.asked_at
        WHERE known.state <> 'proven' OR known.checksum <> excluded.checksum`.execute(db);
  }
}

/** Versions per statement. */
const BATCH_SIZE = 500;

/** Decides about the versions of a registry, for each subscription that requires attestations. */
export async function decideAttestations(db: Db, registryId: number, now: Date): Promise<void> {
  const subscriptions = await db
    .selectFrom('subscriptions')
    .where('registryId', '=', registryId)
    .where('attestations', '=', 'require')
    .where(CONFIRMED)
    .select('id')
    .execute();
  for (const { id } of subscriptions) await decideFor(db, registryId, id, now);
}

async function decideFor(db: Db, registryId: number, subscriptionId: string, now: Date): Promise<void> {
  let after: Undecided | null = null;
  do {
    const last = after;
    after = await db.transaction().execute(async (tx) => {
      // Changes of the policy wait, and are seen.
      const row = await tx
        .selectFrom('subscriptions')
        .where('id', '=', subscriptionId)
        .where('registryId', '=', registryId)
        .where(CONFIRMED)
        .select(['attestations', 'attestationSigner'])
        .forUpdate()
        .executeTakeFirst();
      const policy = row && policyOf(row.attestations, row.attestationSigner);
      if (policy?.mode !== 'require') return null;
      const { signer } = policy;
      const undecided = await undecidedVersions(tx, {
        registryId,
        subscriptionId,
        keySha256: keyOf(signer),
        after: last,
      });
      await writeDecisions(tx, { registryId, subscriptionId, now }, undecided, signer);
      return undecided.length < BATCH_SIZE ? null : (undecided.at(-1) ?? null);
    });
  } while (after !== null);
}

/** An offered version without a decision, or one that is held back although its attestation is valid. */
interface Undecided {
  key: string;
  version: string;
  checksum: string;
  decision: Decision | null;
  evidence: Evidence | null;
}

async function undecidedVersions(
  tx: Db,
  place: { registryId: number; subscriptionId: string; keySha256: string; after: Undecided | null },
): Promise<Undecided[]> {
  const { registryId, subscriptionId, keySha256, after } = place;
  const { rows } = await sql<{
    key: string;
    version: string;
    checksum: string;
    decision: Decision['decision'] | null;
    heldSince: Date | null;
    state: Evidence['state'] | null;
    facts: Evidence['facts'];
  }>`
    SELECT versions.app_key AS key, versions.version, versions.artifact_checksum AS checksum,
      decided.decision, decided.held_since, known.state, known.facts
    FROM versions
      JOIN apps ON ${VERSION_OF_APP} AND apps.listed
      LEFT JOIN attestation_decisions AS decided ON decided.subscription_id = ${subscriptionId}
        AND decided.app_key = versions.app_key AND decided.version = versions.version
        AND decided.checksum = versions.artifact_checksum
      LEFT JOIN attestations AS known ON known.registry_id = versions.registry_id AND known.app_key = versions.app_key
        AND known.version = versions.version AND known.key_sha256 = ${keySha256}
        AND known.checksum = versions.artifact_checksum
    WHERE versions.registry_id = ${registryId} AND ${OFFERED}
      AND (decided.decision IS NULL OR decided.decision = 'held' AND known.state = 'proven')
      AND (${after === null} OR (versions.app_key, versions.version) > (${after?.key ?? ''}, ${after?.version ?? ''}))
    ORDER BY versions.app_key, versions.version
    LIMIT ${BATCH_SIZE}`.execute(tx);
  return rows.map(({ decision, heldSince, state, facts, ...version }) => {
    const { checksum } = version;
    return {
      ...version,
      decision: decision === null ? null : { checksum, decision, heldSince },
      evidence: state === null ? null : { checksum, state, facts },
    };
  });
}

async function writeDecisions(
  tx: Db,
  { registryId, subscriptionId, now }: { registryId: number; subscriptionId: string; now: Date },
  undecided: readonly Undecided[],
  signer: SignerRequirement,
): Promise<void> {
  const events: EventToRecord[] = [];
  const rows = [];
  for (const { decision: before, evidence, ...pinned } of undecided) {
    const verdict = verdictOf(evidence, pinned, signer);
    const decision = nextDecision(before, pinned, verdict, now);
    if (before?.decision === decision.decision) continue;
    rows.push({ subscriptionId, appKey: pinned.key, version: pinned.version, ...decision });
    events.push({ ...attestationEvent(pinned, verdict), registryId, subscriptionId, at: now });
  }
  if (rows.length === 0) return;
  await tx
    .insertInto('attestationDecisions')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['subscriptionId', 'appKey', 'version']).doUpdateSet({
        checksum: sql`excluded.checksum`,
        decision: sql`excluded.decision`,
        heldSince: sql`excluded.held_since`,
      }),
    )
    .execute();
  await recordEvents(tx, events);
}

/** The attestations of an app's versions, as a subscription sees them. */

/** Reads the evidence about versions of an app, verified with one key or without, by version. */
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

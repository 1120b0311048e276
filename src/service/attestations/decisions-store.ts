import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import { CONFIRMED, OFFERED, VERSION_OF_APP } from '../database/sql-fragments.ts';
import type { EventToRecord } from '../history/events.ts';
import { recordEvents } from '../history/store.ts';
import { attestationEvent, type Decision, type Evidence, nextDecision, verdictOf, attestationView } from './verdict.ts';
import { keyOf, policyOf, type SignerRequirement, type AttestationMode } from './policy.ts';
import { evidenceOf } from './evidence-store.ts';
import type { AttestationView } from './schema.ts';

/** Which versions are offered to the subscriptions that require attestations. */

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

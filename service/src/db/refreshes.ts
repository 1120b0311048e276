import type { DocumentFacts, Report } from 'appreg';
import { type RegistryClaim, updateClaimed } from './claims.ts';
import { type CheckStart, refuseSubscriptions } from './confirmations.ts';
import { type StoredRegistry } from './tables/tables.ts';
import { type NewEvent, type EventCertificate } from '../domain/events.ts';
import { type Db } from './database.ts';
import { inBatchesOf } from './batch.ts';
import { sql } from 'kysely';
import { HAS_SUBSCRIBERS, CONFIRMED } from './conditions.ts';
import { recordEvents, recordRegistryEvents } from './events.ts';
import { pack } from './packed.ts';

/** The start and the end of a refresh in the row of its registry, in batches for concurrent refreshes. */

/** The state of a registry in the database. */
export interface RegistryRecord
  extends
    RegistryClaim,
    CheckStart,
    Pick<
      StoredRegistry,
      | 'url'
      | 'ownerId'
      | 'failures'
      | 'failingSince'
      | 'resumeAfter'
      | 'checkedAt'
      | 'errors'
      | 'warnings'
      | 'unchangedToken'
      | 'checkedEventAt'
      | 'checkedEventOutcome'
      | 'certificates'
    > {
  /** When it was read, by the clock of the database, and as far ahead of it as the caller: milliseconds since 1970. */
  readAt: number;
  /** True if a subscriber requested that all artifacts are asked for. */
  artifactsRequested: boolean;
  due: boolean;
  /** True if an organization that is not suspended subscribes to it. */
  hasSubscribers: boolean;
  /** The organization, if only one subscribes to it. */
  onlySubscriber: string | null;
}

/** When a registry is due again; earlier if it was requested during the refresh. */
export interface NextCheck {
  nextCheckAt: Date;
  nextIfRequested: Date;
}

/** The end of a refresh that confirmed the last outcome. */
export interface Confirmation extends RegistryClaim, NextCheck {
  at: Date;
  slow: boolean;
  /** The daily `checked` event, if it is due. */
  events: readonly NewEvent[];
}

const BATCH_LIMIT = 64;

/**
 * @param now of the caller, in milliseconds since 1970; in tests, ahead of the clock of this machine
 * @returns null if the registry does not exist
 */
export function readRegistry(db: Db, id: number, now: number): Promise<RegistryRecord | null> {
  return readRegistries(db, { id, ahead: (now - Date.now()) / 1000 });
}

const readRegistries = inBatchesOf(async (db, requests: readonly { id: number; ahead: number }[]) => {
  const ids = requests.map(({ id }) => id);
  const ahead = requests.map((request) => request.ahead);
  const { rows } = await sql<RegistryRecord>`
      SELECT registries.id, url, owner_id, refresh_number, requests, failures, failing_since, resume_after, checked_at, errors,
        warnings, unchanged_token, checked_event_at, checked_event_outcome, certificates,
        artifacts_requested_at IS NOT NULL AS artifacts_requested,
        next_check_at <= now() + make_interval(secs => ahead) AS due,
        (extract(epoch FROM now() + make_interval(secs => ahead)) * 1000)::float8 AS read_at,
        ${HAS_SUBSCRIBERS} AS has_subscribers,
        (SELECT CASE WHEN count(*) = 1 THEN min(organization_id::text) END FROM
          (SELECT organization_id FROM subscriptions WHERE registry_id = registries.id LIMIT 2) AS subscribers)
          AS only_subscriber,
        now()::text AS started_at,
        EXISTS (SELECT FROM subscriptions WHERE subscriptions.registry_id = registries.id AND NOT ${CONFIRMED})
          AS has_unconfirmed
      FROM unnest(${ids}::int[], ${ahead}::float8[]) AS requested (id, ahead)
        JOIN registries ON registries.id = requested.id`.execute(db);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? null);
}, BATCH_LIMIT);

/** @returns false if another refresh has taken over the registry or changed the outcome in the meantime: then nothing is written */
export const writeUnchanged = inBatchesOf(async (db, confirmations: readonly Confirmation[]) => {
  const sorted = confirmations.toSorted((a, b) => a.id - b.id);
  const written = await db.transaction().execute((tx) => confirm(tx, sorted));
  return confirmations.map(({ id }) => written.has(id));
}, BATCH_LIMIT);

/** @returns the ids of the registries that were written */
async function confirm(tx: Db, confirmations: readonly Confirmation[]): Promise<Set<number>> {
  const column = <Name extends keyof Confirmation>(name: Name): Confirmation[Name][] =>
    confirmations.map((confirmation) => confirmation[name]);
  const { rows } = await sql<{ id: number }>`
    UPDATE registries SET checked_at = confirmed.at, good_at = confirmed.at, slow = confirmed.slow, progress = NULL,
      refresh_number = registries.refresh_number + 1,
      next_check_at = CASE WHEN registries.requests = confirmed.requests AND artifacts_requested_at IS NULL
        THEN confirmed.next_check_at ELSE confirmed.next_if_requested END,
      checked_event_at = CASE WHEN confirmed.has_event THEN confirmed.at ELSE checked_event_at END
    FROM unnest(${column('id')}::int[], ${column('refreshNumber')}::int[], ${column('requests')}::int[],
      ${column('at')}::timestamptz[], ${column('nextCheckAt')}::timestamptz[],
      ${column('nextIfRequested')}::timestamptz[], ${column('slow')}::boolean[],
      ${confirmations.map(({ events }) => events.length > 0)}::boolean[])
      AS confirmed (id, refresh_number, requests, at, next_check_at, next_if_requested, slow, has_event)
    WHERE registries.id = confirmed.id AND registries.refresh_number = confirmed.refresh_number
      AND unchanged_token IS NOT NULL
    RETURNING registries.id`.execute(tx);
  const written = new Set(rows.map(({ id }) => id));
  const recorded = confirmations.filter(({ id }) => written.has(id));
  await recordEvents(
    tx,
    recorded.flatMap(({ id, at, events }) => events.map((event) => ({ ...event, registryId: id, at }))),
  );
  return written;
}

/** The last observed manifest, packed; null if there is none. */
export async function packedManifestOf(db: Db, id: number): Promise<Buffer | null> {
  const row = await db.selectFrom('registries').where('id', '=', id).select('manifest').executeTakeFirst();
  return row?.manifest ?? null;
}

/** The end of a refresh that observed and judged. */
export interface RefreshResult extends NextCheck {
  checkedAt: Date;
  /** Consecutive failed refreshes, including this one, and since when; 0 and null if the manifest was usable. */
  failures: number;
  failingSince: Date | null;
  report: Report;
  slow: boolean;
  unchangedToken: string | null;
  /** True if the host refused the credentials. */
  unauthorized: boolean;
  /** Facts from a usable manifest; null without one. */
  usable: {
    /** The key of the app at which the next refresh starts, or null. */
    resumeAfter: string | null;
    /** The manifest to store; null to keep the stored one. */
    manifest: DocumentFacts | null;
  } | null;
  /** The certificates of its host; null to keep the stored ones. */
  certificates: EventCertificate[] | null;
  /** Events of this check, which may include a `checked` event. */
  events: readonly NewEvent[];
}

/**
 * @param end.refusesSubscriptions true if the host has not served the registry for its unconfirmed subscriptions
 * @throws Superseded if another refresh has taken over the registry: then nothing is written
 */
export async function writeRefreshResult(
  db: Db,
  claim: RegistryClaim & CheckStart,
  result: RefreshResult,
  { refusesSubscriptions }: { refusesSubscriptions: boolean },
): Promise<void> {
  const { usable, report, certificates, events, nextCheckAt, nextIfRequested, ...columns } = result;
  const { id, requests } = claim;
  const checked = events.find((event) => event.type === 'checked');
  const packedReport = await pack(report);
  const packedManifest = usable?.manifest ? await pack(usable.manifest) : null;
  await db.transaction().execute(async (tx) => {
    await updateClaimed(tx, claim, {
      ...columns,
      // A check that was requested meanwhile follows.
      nextCheckAt: sql`CASE WHEN requests = ${requests} AND artifacts_requested_at IS NULL
        THEN ${nextCheckAt}::timestamptz ELSE ${nextIfRequested}::timestamptz END`,
      progress: null,
      errors: report.summary.errors,
      warnings: report.summary.warnings,
      symptoms: JSON.stringify(report.symptoms),
      report: packedReport,
      ...(usable && { goodAt: columns.checkedAt, resumeAfter: usable.resumeAfter }),
      ...(packedManifest && { manifest: packedManifest }),
      ...(certificates && { certificates: JSON.stringify(certificates) }),
      ...(checked && { checkedEventAt: columns.checkedAt, checkedEventOutcome: checked.data.outcome }),
    });
    if (refusesSubscriptions) await refuseSubscriptions(tx, claim);
    await recordRegistryEvents(tx, id, columns.checkedAt, events);
  });
}

import { mapLimit, notRequested } from 'appreg';
import {
  factsOfBundle,
  fetchCompanion,
  groupBy,
  type HttpClient,
  readPublicKey,
  readTrustedRoot,
  shippedTrust,
  type Trust,
  verifyAttestation,
} from 'appreg/node';
import { type RefreshContext } from './plan.ts';
import { type RegistryRecord } from '../db/refreshes.ts';
import { type RequestCredentials, containsSecret } from './credentials.ts';
import {
  wantedKeys,
  dueAttestations,
  writeEvidence,
  decideAttestations,
  type WantedKey,
  type DueAttestation,
  type FoundEvidence,
} from '../db/attestations.ts';
import { type Companion, nextEvidence } from '../domain/attestations.ts';
import { setImmediate } from 'node:timers/promises';

/**
 * Asks the hosts of offered versions for their attestations, if a subscriber wants them, verifies them, and decides which
 * versions are offered to the subscribers that require them. Each attestation is fetched once for all subscribers.
 */

/** Attestations per refresh, for all keys. */
const LIMIT = 500;
/** Requests at once; those to one host are limited further. */
const CONCURRENCY = 8;

/** @param isOver whether no more requests may be sent @returns whether some that are due were not asked for */
export async function checkAttestations(
  { db, settings, now: clock }: RefreshContext,
  { id }: Pick<RegistryRecord, 'id'>,
  http: HttpClient,
  credentials: RequestCredentials,
  isOver: () => boolean,
): Promise<boolean> {
  const now = clock();
  const wanted = await wantedKeys(db, id);
  if (wanted.length === 0) return false;
  const trusts = new Map(wanted.map((key) => [key.keySha256, trustOf(key, settings.trustedRoot)]));
  const due = await dueAttestations(db, id, { keys: [...trusts.keys()], now, limit: LIMIT + 1 });
  const groups = [...groupBy(due.slice(0, LIMIT), ({ artifactUrl }) => artifactUrl)];
  const isCutOff = await mapLimit(
    groups,
    async ([url, versions]) => {
      if (isOver()) return true;
      const fetched = await fetchAttestation(http, url);
      if (isOver()) return true;
      // A node that cannot send requests learns nothing about the host.
      if (fetched === null || http.machineLimit() !== null) return false;
      await writeEvidence(db, id, await foundIn(withoutSecrets(fetched, credentials), versions, trusts), now);
      return false;
    },
    CONCURRENCY,
  );
  await decideAttestations(db, id, now);
  // Those that were asked for before wait for the next check.
  return isCutOff.includes(true) || due[LIMIT]?.evidence === null;
}

/** @param root the text of the operator's trusted root; null for the one that the package contains */
function trustOf({ publicKey }: WantedKey, root: string | null): Trust {
  const key = publicKey === null ? null : readPublicKey(publicKey, 'The key of a subscription');
  return root === null ? shippedTrust(key) : readTrustedRoot(root, '--trusted-root', key);
}

/** A host may echo the credentials, and what is stored is read later. */
function withoutSecrets(
  fetched: Exclude<FetchedAttestation, null>,
  credentials: RequestCredentials,
): Exclude<FetchedAttestation, null> {
  return fetched.state === 'present' && containsSecret(credentials, fetched.bytes) ? { state: 'unknown' } : fetched;
}

/** Verifies a bundle once for each key. */
async function foundIn(
  fetched: Exclude<FetchedAttestation, null>,
  versions: readonly DueAttestation[],
  trusts: ReadonlyMap<string, Trust>,
): Promise<FoundEvidence[]> {
  const companions = new Map<string, Companion>();
  for (const keySha256 of new Set(versions.map((one) => one.keySha256))) {
    const trust = trusts.get(keySha256);
    if (trust === undefined) continue;
    // Other work of this thread goes on in between.
    await setImmediate();
    companions.set(
      keySha256,
      fetched.state === 'present'
        ? { state: 'present', facts: factsOfBundle(fetched, (bytes) => verifyAttestation(bytes, trust)) }
        : fetched,
    );
  }
  return versions.flatMap(({ appKey, version, checksum, keySha256, evidence }) => {
    const companion = companions.get(keySha256);
    if (companion === undefined) return [];
    const pinned = { key: appKey, version, checksum };
    return [{ appKey, version, keySha256, evidence: nextEvidence(evidence, companion, pinned) }];
  });
}

/** Asks a host for the attestation of an artifact. */

/**
 * `url-signed`: the URL of the artifact is signed by its query, so that no URL of an attestation is known. `unknown`: the host
 * did not say whether it has one. Null: it was not asked.
 */
type FetchedAttestation =
  | { state: 'present'; bytes: Buffer; isCut: boolean }
  | { state: 'absent' | 'unknown' | 'url-signed' }
  | null;

/** Milliseconds per request. */
const TIMEOUT = 20_000;

/** @param artifactUrl as listed */
async function fetchAttestation(http: HttpClient, artifactUrl: string): Promise<FetchedAttestation> {
  const request = { artifactUrl, kind: 'attestation', etag: null } as const;
  const fetched = await fetchCompanion(request, { http, total: TIMEOUT });
  if (fetched.state === 'url-signed') return { state: 'url-signed' };
  if (notRequested(fetched.probe) !== null) return null;
  if (fetched.state === 'absent') return { state: 'absent' };
  return fetched.state === 'present'
    ? { state: 'present', bytes: fetched.bytes, isCut: fetched.isCut }
    : { state: 'unknown' };
}

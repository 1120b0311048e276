import type { JsonObject } from 'appreg';
import { type UnusableManifest, type ManifestCheck, checkManifest } from '../refresh/check-manifest.ts';
import { openFairSemaphore } from './fair-semaphore.ts';
import { type Service } from '../context.ts';
import { type RegistryAuth, insecureAuthFault, secretHeadersFor } from '../domain/credentials.ts';
import { type Actor } from '../domain/audit.ts';
import { parseRegistryUrl } from '../domain/registry-url.ts';
import { storable } from '../domain/storable.ts';
import { subscriptionByUrl, countSubscriptions, countUnchecked } from '../db/subscriptions.ts';
import {
  registryByUrl,
  markSlowUntilChecked,
  type KnownRegistry,
  insertRegistry,
  checkedAtOf,
  isGood,
} from '../db/registries.ts';
import { NO_SECRETS_KEY } from './subscriptions.ts';
import { putCredentials } from '../db/credentials.ts';
import { writeListing } from '../db/refreshed-apps.ts';
import { listedAppsIn } from '../domain/listing.ts';
import { Superseded } from '../db/claims.ts';
import { insertSubscription, insertOfficialSubscription } from '../db/new-subscriptions.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseTime, confirmSubscriptions } from '../db/confirmations.ts';

/**
 * Subscribes an organization to a registry (spec 4.2). Nothing is stored for a registry that is known to be unusable
 * within two seconds; if that takes longer, the subscription is accepted, and a job checks the registry.
 */

export type SubscribeOutcome =
  /** `accepted`: it is not known yet whether the registry can be used. */
  | { outcome: 'created' | 'accepted' | 'already'; subscriptionId: string }
  | ({ outcome: 'unusable' } & UnusableManifest)
  | { outcome: 'refused-url' | 'unsupported-auth'; message: string }
  | { outcome: 'too-many'; message: string };

/** Manifests are kept in memory: concurrent checks of this process, and of one organization. */
const acquireSlot = openFairSemaphore(32, 2);
/** Maximum registries per organization, since its list is returned as a whole. */
const SUBSCRIPTIONS_LIMIT = 1000;

/**
 * Subscribes an organization. The manifest is requested first, also if another organization is subscribed to the registry:
 * what is stored is shown only to those for whom the host serves the URL. Then a job refreshes the registry, unless it was
 * good recently; apps that are verified within two seconds can be installed when this returns.
 * @param request `url` as typed; `name` accepted by `nameError`; `auth` read by `readAuth`, without it the registry is
 * shared; `actor` for the audit log
 */
export async function subscribe(
  service: Service,
  organizationId: string,
  request: { url: string; name: string; auth?: RegistryAuth | null; actor: Actor },
): Promise<SubscribeOutcome> {
  const { db } = service;
  const parsed = parseRegistryUrl(request.url, service.outbound.guard);
  if ('fault' in parsed) return { outcome: 'refused-url', message: parsed.fault };
  const { url } = parsed;
  const { auth = null } = request;
  const name = storable(request.name.trim());
  const subscriptionId = await subscriptionByUrl(db, organizationId, url);
  if (subscriptionId !== null) return { outcome: 'already', subscriptionId };
  const refusal = auth === null ? null : refusedAuth(service, url);
  if (refusal !== null) return refusal;
  const known = await registryByUrl(db, auth === null ? null : organizationId, url);
  if ((await countSubscriptions(db, organizationId)) >= SUBSCRIPTIONS_LIMIT)
    return {
      outcome: 'too-many',
      message: `An organization can have at most ${SUBSCRIPTIONS_LIMIT} registries. Unsubscribe from one first.`,
    };
  const until = Date.now() + service.outbound.subscribeTimeout;
  const check = await checkInTime(service, organizationId, { url, auth, until });
  if (check.result === 'unusable') return { ...check, outcome: 'unusable' };
  const { id, created } = await registryFor(service, organizationId, { url, auth, known });
  const confirmed = check.result === 'usable';
  const subscribed = await addSubscription(service, organizationId, id, { ...request, name, confirmed });
  if (check.result !== 'usable') return accept(service, organizationId, id, { subscribed, check });
  // After the subscription, so that the apps are part of its history.
  if (created) await addApps(service, id, check.apps);
  if (auth === null && known?.recentlyGood === true) return subscribed;
  await service.requestRefresh(id);
  await waitUntilRefreshed(service, id, { before: known?.checkedAt ?? null, until });
  return subscribed;
}

/** The refusal of credentials for a URL, or at all; or null. */
function refusedAuth({ settings }: Service, url: string): SubscribeOutcome | null {
  if (settings.secretsKeys.length === 0) return { outcome: 'unsupported-auth', message: NO_SECRETS_KEY };
  const fault = insecureAuthFault(url);
  return fault === null ? null : { outcome: 'refused-url', message: fault };
}

type Subscribed = Extract<SubscribeOutcome, { subscriptionId: string }>;

type Check = ManifestCheck | { result: 'not-started' };

interface CheckRequest {
  url: string;
  auth: RegistryAuth | null;
  /** The deadline, in milliseconds since 1970. */
  until: number;
}

/** Checks the manifest if there is a slot, and time for it. */
async function checkInTime(
  service: Service,
  organizationId: string,
  { url, auth, until }: CheckRequest,
): Promise<Check> {
  const release = await acquireSlot(organizationId, until - Date.now());
  if (release === null) return { result: 'not-started' };
  try {
    const timeout = Math.max(1, until - Date.now());
    return await checkManifest(service, url, { secrets: auth && secretHeadersFor(url, auth), timeout });
  } finally {
    release();
  }
}

/** A job checks the registry: with the slow ones if it did not respond in time, the first ones of an organization first. */
async function accept(
  service: Service,
  organizationId: string,
  id: number,
  { subscribed, check }: { subscribed: Subscribed; check: Check },
): Promise<Subscribed> {
  if (subscribed.outcome !== 'created') return subscribed;
  if (check.result === 'unknown') await markSlowUntilChecked(service.db, id);
  const unchecked = await countUnchecked(service.db, organizationId);
  await service.requestRefresh(id, { priority: 1 - unchecked });
  return { ...subscribed, outcome: 'accepted' };
}

/** The row of the registry, which is created if it is new to the service, with its credentials. */
async function registryFor(
  { db, settings }: Service,
  organizationId: string,
  { url, auth, known }: { url: string; auth: RegistryAuth | null; known: KnownRegistry | null },
): Promise<{ id: number; created: boolean }> {
  const ownerId = auth === null ? null : organizationId;
  const { id, created } = known === null ? await insertRegistry(db, url, ownerId) : { ...known, created: false };
  if (auth !== null) await putCredentials(db, settings.secretsKeys, { id, ownerId: organizationId, url }, auth);
  return { id, created };
}

async function addApps({ db, settings }: Service, id: number, apps: JsonObject): Promise<void> {
  const limit = settings.limits.apps;
  const unrefreshed = { id, refreshNumber: 0, requests: 0 };
  await writeListing(db, unrefreshed, listedAppsIn(apps, limit), limit, new Date()).catch((error: unknown) => {
    // It has been refreshed in the meantime.
    if (!(error instanceof Superseded)) throw error;
  });
}

async function addSubscription(
  { db }: Service,
  organizationId: string,
  registryId: number,
  request: { name: string; actor: Actor; confirmed: boolean },
): Promise<Subscribed> {
  const { id, created } = await insertSubscription(db, organizationId, registryId, request);
  return { outcome: created ? 'created' : 'already', subscriptionId: id };
}

/** Waits until a registry is refreshed, or until the deadline. @param before when it was last refreshed */
async function waitUntilRefreshed(
  { db, stopping }: Service,
  id: number,
  { before, until }: { before: Date | null; until: number },
): Promise<void> {
  while (Date.now() < until && !stopping.aborted) {
    await sleep(100);
    if ((await checkedAtOf(db, id))?.getTime() !== before?.getTime()) return;
  }
}

/** Subscribes an organization to the core and the community registry, at its creation (spec 1). */
export async function subscribeOfficial(service: Service, organizationId: string): Promise<void> {
  const { settings } = service;
  await Promise.all([
    subscribeTo(service, organizationId, 'Core registry', settings.coreRegistryUrl),
    subscribeTo(service, organizationId, 'Community registry', settings.communityRegistryUrl),
  ]);
}

async function subscribeTo(
  service: Service,
  organizationId: string,
  name: string,
  registryUrl: string | null,
): Promise<void> {
  if (registryUrl === null) return;
  const { db, log } = service;
  const parsed = parseRegistryUrl(registryUrl, service.outbound.guard);
  if ('fault' in parsed) return log('error', 'official-registry-unusable', { name, fault: parsed.fault });
  const { id } = await insertRegistry(db, parsed.url, null);
  await insertOfficialSubscription(db, organizationId, id, name);
  if (!(await isGood(db, id))) return service.requestRefresh(id);
  // As for other subscriptions: what is stored is shown once the host has served the URL again.
  const startedAt = await databaseTime(db);
  const timeout = Math.max(1, service.outbound.subscribeTimeout);
  const { result } = await checkManifest(service, parsed.url, { secrets: null, timeout });
  if (result === 'usable') await confirmSubscriptions(db, { id, startedAt, hasUnconfirmed: true });
  else await service.requestRefresh(id);
}

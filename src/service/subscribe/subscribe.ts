import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from '../../core/engine/report.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Actor } from '../audit-actions.ts';
import type { Service } from '../context.ts';
import { insecureAuthFault, type RegistryAuth, secretHeadersFor } from '../credentials.ts';
import { appsIn } from '../refresh/manifest-apps.ts';
import { writeListing } from '../storage/app-listing.ts';
import { storable } from '../storage/packed.ts';
import { Superseded } from '../storage/registry-claim.ts';
import { checkedAtOf, insertRegistry, type KnownRegistry, registryByUrl } from '../storage/registries.ts';
import { putCredentials } from '../storage/registry-credentials.ts';
import { countSubscriptions, insertSubscription, subscriptionByUrl } from '../storage/subscriptions.ts';
import { checkManifest } from './check-manifest.ts';
import { NO_SECRETS_KEY } from './credentials.ts';
import { openFairSemaphore } from './fair-semaphore.ts';
import { parseRegistryUrl } from './registry-url.ts';

/** Subscribes an organization to a registry (spec 4.2). Nothing is stored for a registry that cannot be used. */

export type Outcome =
  | { outcome: 'created' | 'already'; subscriptionId: string }
  | { outcome: 'unusable'; message: string; findings: Finding[] }
  | { outcome: 'refused-url' | 'unsupported-auth'; message: string }
  | { outcome: 'too-many'; message: string }
  | { outcome: 'busy'; message: string };

/** Large manifests are kept in memory: concurrent checks of this process, and of one organization. */
const acquireSlot = openFairSemaphore(6, 2);
/** Milliseconds to wait for a slot. */
const SLOT_TIMEOUT = 10_000;
/** Milliseconds: a registry that was good this recently is not observed again for another subscriber. */
const RECENT = 7_200_000;
/** Maximum registries per organization, since its list is returned as a whole. */
const SUBSCRIPTIONS_LIMIT = 1000;

/**
 * Subscribes an organization. A registry that is new to the service is observed first, then refreshed; apps that are
 * verified within a few seconds can be installed when this returns.
 * @param request `url` as typed; `name` accepted by `nameError`; `auth` read by `readAuth`, without it the registry is
 * shared; `actor` for the audit log
 */
export async function subscribe(
  service: Service,
  organizationId: string,
  request: { url: string; name: string; auth?: RegistryAuth | null; actor: Actor },
): Promise<Outcome> {
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
  if (auth === null && known !== null && isRecentlyGood(known)) {
    const subscribed = await addSubscription(service, organizationId, known.id, { ...request, name });
    if (known.nextCheckAt <= new Date()) await service.requestRefresh(known.id);
    return subscribed;
  }
  const checked = await checkedRegistry(service, organizationId, { url, auth, known });
  if ('outcome' in checked) return checked;
  const subscribed = await addSubscription(service, organizationId, checked.id, { ...request, name });
  // After the subscription, so that the apps are part of its history.
  if (checked.apps !== null) await addApps(service, checked.id, checked.apps);
  await service.requestRefresh(checked.id);
  await refreshed(service, checked.id, known?.checkedAt ?? null);
  return subscribed;
}

/** Why credentials cannot be used for a URL, or at all; or null. */
function refusedAuth({ settings }: Service, url: string): Outcome | null {
  if (settings.secretsKeys.length === 0) return { outcome: 'unsupported-auth', message: NO_SECRETS_KEY };
  const fault = insecureAuthFault(url);
  return fault === null ? null : { outcome: 'refused-url', message: fault };
}

function isRecentlyGood({ goodAt, failingSince }: KnownRegistry): boolean {
  return goodAt !== null && failingSince === null && Date.now() - goodAt.getTime() < RECENT;
}

interface CheckedRegistry {
  id: number;
  /** The apps of a registry that is new to the service, which are not stored yet; null otherwise. */
  apps: JsonObject | null;
}

/** Checks the manifest, and creates the row of a registry that is new to the service. */
async function checkedRegistry(
  service: Service,
  organizationId: string,
  { url, auth, known }: { url: string; auth: RegistryAuth | null; known: KnownRegistry | null },
): Promise<CheckedRegistry | Outcome> {
  const release = await acquireSlot(organizationId, SLOT_TIMEOUT);
  if (release === null)
    return { outcome: 'busy', message: 'Too many registries are being checked. Try again in a moment.' };
  try {
    const { apps, message, findings } = await checkManifest(service, url, auth && secretHeadersFor(url, auth));
    if (apps === null) return { outcome: 'unusable', message, findings };
    const ownerId = auth === null ? null : organizationId;
    const { id, created } =
      known === null ? await insertRegistry(service.db, url, ownerId) : { ...known, created: false };
    if (auth !== null)
      await putCredentials(service.db, service.settings.secretsKeys, { id, ownerId: organizationId, url }, auth);
    return { id, apps: created ? apps : null };
  } finally {
    release();
  }
}

async function addApps({ db, settings }: Service, id: number, apps: JsonObject): Promise<void> {
  const limit = settings.limits.apps;
  const unrefreshed = { id, refreshNumber: 0, requests: 0 };
  await writeListing(db, unrefreshed, appsIn(apps, limit), limit, new Date()).catch((error: unknown) => {
    // It has been refreshed in the meantime.
    if (!(error instanceof Superseded)) throw error;
  });
}

async function addSubscription(
  { db }: Service,
  organizationId: string,
  registryId: number,
  { name, actor }: { name: string; actor: Actor },
): Promise<Extract<Outcome, { subscriptionId: string }>> {
  const { id, created } = await insertSubscription(db, organizationId, registryId, name, actor);
  return { outcome: created ? 'created' : 'already', subscriptionId: id };
}

/** Waits until a registry is refreshed, or until the deadline. @param before when it was last refreshed */
async function refreshed({ db, outbound, stopping }: Service, id: number, before: Date | null): Promise<void> {
  const until = Date.now() + outbound.firstRefreshTimeout;
  while (Date.now() < until && !stopping.aborted) {
    await sleep(200);
    if ((await checkedAtOf(db, id))?.getTime() !== before?.getTime()) return;
  }
}

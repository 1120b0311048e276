import type { Service } from '../context.ts';
import { confirmSubscriptions, databaseTime, insertOfficialSubscription } from './insert-store.ts';
import { insertRegistry, isGood } from './store.ts';
import { checkManifest } from './check-manifest.ts';
import { parseRegistryUrl } from './registry-url.ts';

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

import type { Service } from '../context.ts';
import { checkedAtOf, insertRegistry } from '../storage/registries.ts';
import { insertOfficialSubscription } from '../storage/insert-subscription.ts';
import { parseRegistryUrl } from './registry-url.ts';

/** Subscribes an organization to the core and the community registry, at its creation (spec 1). */
export async function subscribeOfficial(service: Service, organizationId: string): Promise<void> {
  const { db, settings, log } = service;
  const official = [
    { name: 'Core registry', registryUrl: settings.coreRegistryUrl },
    { name: 'Community registry', registryUrl: settings.communityRegistryUrl },
  ];
  for (const { name, registryUrl } of official) {
    if (registryUrl === null) continue;
    const parsed = parseRegistryUrl(registryUrl, service.outbound.guard);
    if ('fault' in parsed) {
      log('error', 'official-registry-unusable', { name, fault: parsed.fault });
      continue;
    }
    const { id } = await insertRegistry(db, parsed.url, null);
    await insertOfficialSubscription(db, organizationId, id, name);
    if ((await checkedAtOf(db, id)) === null) await service.requestRefresh(id);
  }
}

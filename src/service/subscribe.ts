import type { Finding } from '../core/report.ts';
import type { Service } from './context.ts';
/** A stand-in, until subscribing looks at the registry. */

export type Outcome =
  | { outcome: 'created' | 'already'; subscriptionId: string }
  | { outcome: 'unusable'; message: string; findings: Finding[] }
  | { outcome: 'refused-url'; message: string };
export async function subscribe(
  service: Service,
  organizationId: string,
  asked: { url: string; name: string },
): Promise<Outcome> {
  const { db } = service;
  if (!URL.canParse(asked.url)) return { outcome: 'refused-url', message: 'not a URL' };
  if (asked.url.includes('unusable'))
    return { outcome: 'unusable', message: 'It could not be reached from the service.', findings: [] };
  const row = await db
    .insertInto('registries')
    .values({
      url: asked.url,
      checkedAt: null,
      goodAt: null,
      failingSince: null,
      symptoms: null,
      report: null,
      manifest: null,
    })
    .onConflict((c) => c.column('url').doUpdateSet({ url: asked.url }))
    .returning('id')
    .executeTakeFirstOrThrow();
  const made = await db
    .insertInto('subscriptions')
    .values({ organizationId, registryId: row.id, name: asked.name })
    .onConflict((c) => c.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (made) {
    await service.requestRefresh(row.id);
    return { outcome: 'created', subscriptionId: made.id };
  }
  const old = await db
    .selectFrom('subscriptions')
    .select('id')
    .where('organizationId', '=', organizationId)
    .where('registryId', '=', row.id)
    .executeTakeFirstOrThrow();
  return { outcome: 'already', subscriptionId: old.id };
}
export async function subscribeOfficial(_s: Service, _o: string): Promise<void> {}

import { Agent, request } from 'undici';
import { migrate } from '../../service/src/db/migrations/migrate.ts';
import { openDatabase } from '../../service/src/db/database.ts';
import { openLog } from '../../service/src/log.ts';
import { openMetrics } from '../../service/src/metrics.ts';
import { outboundOptions } from '../../service/src/config/outbound.ts';
import { refreshRegistry } from '../../service/src/refresh/refresh.ts';
import { resolveSettings } from '../../service/src/config/resolve-settings.ts';

/** Refreshes without queue and web server, and the bare requests that they are made of. */

export interface Refreshing {
  /** Makes all registries due; `judgeAgain` to have them judged again although nothing changed. */
  makeDue(judgeAgain?: boolean): Promise<void>;
  /** Refreshes all registries with this concurrency; throws if one has errors. */
  refreshAll(concurrency: number): Promise<void>;
  close(): Promise<void>;
}

export async function openRefreshing(databaseUrl: string, urls: readonly string[]): Promise<Refreshing> {
  const settings = resolveSettings(
    { allowHost: ['localhost'] },
    { DATABASE_URL: databaseUrl },
    { cwd: '/', ca: null, machineCa: null, trustedRoot: null },
  );
  const { db } = openDatabase(databaseUrl, 20, () => undefined);
  await migrate(db);
  const log = openLog(() => {});
  const context = {
    settings,
    artifacts: null,
    db,
    log,
    metrics: openMetrics(),
    outbound: outboundOptions(settings, log, () => []),
    now: () => new Date(),
    random: () => 0,
  };
  const { id: organizationId } = await db
    .insertInto('organizations')
    .values({ name: 'Bench', idempotencyKey: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  const ids: number[] = [];
  for (const url of urls) {
    const empty = { checkedAt: null, goodAt: null, failingSince: null, symptoms: null, report: null, manifest: null };
    const row = { url, ...empty, resumeAfter: null };
    const { id } = await db.insertInto('registries').values(row).returning('id').executeTakeFirstOrThrow();
    await db.insertInto('subscriptions').values({ organizationId, registryId: id, name: 'Apps' }).execute();
    ids.push(id);
  }
  return {
    async makeDue(judgeAgain = false) {
      await db
        .updateTable('registries')
        .set({ nextCheckAt: new Date(0), ...(judgeAgain ? { unchangedToken: null } : {}) })
        .execute();
    },
    async refreshAll(concurrency) {
      await atOnce(ids, concurrency, async (id) => {
        const outcome = await refreshRegistry(context, id, new AbortController().signal);
        if (outcome !== 'good') throw new Error(`registry ${id}: ${outcome}`);
      });
    },
    close: () => db.destroy(),
  };
}

export interface Ask {
  url: string;
  headers: Record<string, string>;
}

/** The same requests by undici alone, as many registries at once; the bodies are read. */
export async function askAll(registries: readonly (readonly Ask[])[], concurrency: number): Promise<void> {
  const dispatcher = new Agent({ connections: 8 });
  await atOnce(registries, concurrency, async (requests) => {
    for (const { url, headers } of requests) {
      const { body } = await request(url, { headers, dispatcher });
      await body.arrayBuffer();
    }
  });
  await dispatcher.close();
}

async function atOnce<Thing>(
  things: readonly Thing[],
  concurrency: number,
  act: (thing: Thing) => Promise<void>,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let i = next++; i < things.length; i = next++) await act(things[i]!);
    }),
  );
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { DocumentFacts } from '../../core/facts/facts.ts';
import { type JsonObject } from '../../core/json/json.ts';
import { manifestAppsIn } from '../../core/registry/manifest.ts';
import { startJudging } from '../../core/engine/judge.ts';
import type { Finding } from '../../core/engine/report.ts';
import { rules } from '../../core/rules/index.ts';
import { NOT_REACHED } from '../../core/http/probe.ts';
import { observeRegistry } from '../../observe/registry/observe.ts';
import type { Service } from '../context.ts';
import { storable } from '../storage/packed.ts';
import { parseRegistryUrl } from './registry-url.ts';
import { countSubscriptions } from '../storage/subscriptions.ts';
import { openFairSemaphore } from './fair-semaphore.ts';
import { redactNetworkOfDocument } from '../refresh/redact-network.ts';
import { appsIn, writeListing } from '../refresh/manifest-apps.ts';
import { DOCUMENTS } from '../refresh/run.ts';

/** Subscribes an organization to a registry (spec 4.2). Nothing is stored for a registry that cannot be used. */

export type Outcome =
  | { outcome: 'created' | 'already'; subscriptionId: string }
  | { outcome: 'unusable'; message: string; findings: Finding[] }
  | { outcome: 'refused-url'; message: string }
  | { outcome: 'too-many'; message: string }
  | { outcome: 'busy'; message: string };

/** Milliseconds for observing a manifest while a user waits. */
const LOOK = 15_000;
/** Large manifests are kept in memory: concurrent observations of this process, and of one organization. */
const turnToLook = openFairSemaphore(6, 2);
/** Milliseconds to wait for a slot. */
const TURN_WITHIN = 10_000;
/** Maximum findings in a response; the first ones give the reason. */
const TOLD = 20;
/** Milliseconds: a registry that was good this recently is not observed again for another subscriber. */
const RECENT = 7_200_000;
/** The rules that make a manifest unusable; the others report further errors. */
const HIDING = new Set(['schema-violation', ...rules.filter(({ hidesApp: hides }) => hides).map(({ id }) => id)]);
/** Maximum registries per organization, since its list is returned as a whole. */
const MOST = 1000;
/** Minimum milliseconds until a host is reported as unreachable: the response time would reveal the reason. */
const UNREACHED = 1500;

/**
 * Subscribes an organization. A registry that is new to the service is observed first, then refreshed; apps that are
 * verified within a few seconds can be installed when this returns.
 * @param asked `url` as typed; `name` accepted by `nameError`
 */
export async function subscribe(
  service: Service,
  organizationId: string,
  asked: { url: string; name: string },
): Promise<Outcome> {
  const { db } = service;
  const address = parseRegistryUrl(asked.url, service.asking.guard);
  if ('fault' in address) return { outcome: 'refused-url', message: address.fault };
  const { url } = address;
  const name = storable(asked.name.trim());
  const known = await db
    .selectFrom('registries as r')
    .leftJoin('subscriptions as s', (join) =>
      join.onRef('s.registryId', '=', 'r.id').on('s.organizationId', '=', organizationId),
    )
    .where('r.url', '=', url)
    .select(['r.id', 's.id as subscriptionId', 'r.checkedAt', 'r.goodAt', 'r.failingSince', 'r.nextCheckAt'])
    .executeTakeFirst();
  if (known?.subscriptionId) return { outcome: 'already', subscriptionId: known.subscriptionId };
  if ((await countSubscriptions(db, organizationId)) >= MOST)
    return {
      outcome: 'too-many',
      message: `An organization has ${MOST} registries at most. Unsubscribe from one first.`,
    };
  const isGood = known?.goodAt && known.failingSince === null && Date.now() - known.goodAt.getTime() < RECENT;
  if (isGood) {
    const made = await addSubscription(service, organizationId, known.id, name);
    if (known.nextCheckAt <= new Date()) await service.requestRefresh(known.id);
    return made;
  }
  const leave = await turnToLook(organizationId, TURN_WITHIN);
  if (leave === null) return { outcome: 'busy', message: 'Too many registries are looked at. Try again in a moment.' };
  let id = known?.id;
  try {
    const look = await lookAtManifest(service, url);
    if (look.apps === null) return { outcome: 'unusable', message: look.message, findings: look.findings };
    id ??= await addRegistry(service, url, look.apps);
  } finally {
    leave();
  }
  const made = await addSubscription(service, organizationId, id, name);
  await service.requestRefresh(id);
  await refreshed(service, id, known?.checkedAt ?? null);
  return made;
}

/** Subscribes an organization to the core and the community registry, at its creation (spec 1). */
export async function subscribeOfficial(service: Service, organizationId: string): Promise<void> {
  const { db, settings, log } = service;
  const official = [
    ['Core registry', settings.coreRegistryUrl],
    ['Community registry', settings.communityRegistryUrl],
  ] as const;
  for (const [name, text] of official) {
    if (text === null) continue;
    const address = parseRegistryUrl(text, service.asking.guard);
    if ('fault' in address) {
      log('error', 'official-registry-unusable', { name, fault: address.fault });
      continue;
    }
    const id = await addRegistry(service, address.url, null);
    await db
      .insertInto('subscriptions')
      .values({ organizationId, registryId: id, name, official: true })
      .onConflict((conflict) => conflict.columns(['organizationId', 'registryId']).doUpdateSet({ official: true }))
      .execute();
    const { checkedAt } = await db
      .selectFrom('registries')
      .where('id', '=', id)
      .select('checkedAt')
      .executeTakeFirstOrThrow();
    if (checkedAt === null) await service.requestRefresh(id);
  }
}

interface Look {
  /** The apps of a usable manifest, or null. */
  apps: JsonObject | null;
  message: string;
  findings: Finding[];
}

async function lookAtManifest({ settings, log, asking }: Service, url: string): Promise<Look> {
  const started = performance.now();
  const judging = startJudging({ command: 'verify', target: url, now: new Date().toISOString() });
  let apps: JsonObject | null = null;
  const manifest = (facts: DocumentFacts): void => {
    judging.manifest(
      redactNetworkOfDocument(facts, ({ code, message }) => log('info', 'host-unreached', { url, code, message })),
    );
    apps = manifestAppsIn(facts.content);
  };
  await observeRegistry(
    url,
    {
      ca: settings.ca,
      machineCa: settings.machineCa,
      ...asking,
      retries: 0,
      total: LOOK,
      maxWait: 0,
      limits: DOCUMENTS,
      choose: () => [],
    },
    { manifest, app: () => {} },
  );
  const { findings } = judging.finish(0);
  const errors = findings
    .filter(({ severity }) => severity === 'error')
    .toSorted((a, b) => Number(HIDING.has(b.rule)) - Number(HIDING.has(a.rule)));
  const unreached = errors.some(({ evidence }) => evidence['code'] === NOT_REACHED);
  if (apps === null && unreached) await sleep(Math.max(0, UNREACHED - (performance.now() - started)));
  const message = unreached
    ? 'The registry could not be reached from the service.'
    : (errors[0]?.message ?? 'Its manifest cannot be used.');
  return { apps, message, findings: errors.slice(0, TOLD) };
}

/** The id of the registry's row, which is created if missing. */
async function addRegistry({ db, settings }: Service, url: string, apps: JsonObject | null): Promise<number> {
  const nothing = {
    checkedAt: null,
    goodAt: null,
    failingSince: null,
    symptoms: null,
    report: null,
    manifest: null,
    resumeAfter: null,
  };
  const made = await db
    .insertInto('registries')
    .values({ url, ...nothing })
    .onConflict((conflict) => conflict.column('url').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!made)
    return (await db.selectFrom('registries').where('url', '=', url).select('id').executeTakeFirstOrThrow()).id;
  const limit = settings.limits.apps;
  if (apps) await writeListing(db, made.id, appsIn(apps, limit), limit);
  return made.id;
}

async function addSubscription(
  { db }: Service,
  organizationId: string,
  registryId: number,
  name: string,
): Promise<Extract<Outcome, { subscriptionId: string }>> {
  const made = await db
    .insertInto('subscriptions')
    .values({ organizationId, registryId, name })
    .onConflict((conflict) => conflict.columns(['organizationId', 'registryId']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (made) return { outcome: 'created', subscriptionId: made.id };
  // A concurrent request for the same registry was faster.
  const { id } = await db
    .selectFrom('subscriptions')
    .where('organizationId', '=', organizationId)
    .where('registryId', '=', registryId)
    .select('id')
    .executeTakeFirstOrThrow();
  return { outcome: 'already', subscriptionId: id };
}

/** Waits until a registry is refreshed, or until the deadline. @param before when it was last refreshed */
async function refreshed({ db, asking, stopping }: Service, id: number, before: Date | null): Promise<void> {
  const until = Date.now() + asking.patience;
  while (Date.now() < until && !stopping.aborted) {
    await sleep(200);
    const row = await db.selectFrom('registries').where('id', '=', id).select('checkedAt').executeTakeFirst();
    if (row?.checkedAt?.getTime() !== before?.getTime()) return;
  }
}

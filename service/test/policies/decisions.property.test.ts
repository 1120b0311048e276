// Scenario: hundreds of random histories of a database.
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Retirement } from '../../../src/core/about/about-file.ts';
import { latestOffered } from '../../../src/core/about/retirement.ts';
import { decideVersions } from '../../../src/core/policy/decide.ts';
import type { PolicyDocument } from '../../../src/core/policy/policy-document.ts';
import { NO_POLICY, policyOf } from '../../../src/core/policy/policy.ts';
import { appOf } from '../../src/db/apps.ts';
import { versionsOf } from '../../src/db/versions.ts';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { decidePolicies } from '../../src/db/policies.ts';
import { previewPolicy, setPolicy } from '../../src/db/policies.ts';
import { runs } from '../../../test/support/property-runs.ts';
import {
  addApp,
  addOrganization,
  addRegistry,
  addSubscription,
  openTestDatabase,
  type TestDatabase,
} from '../database-fixture.ts';

/** Over all orders of events: what is offered is verified, and allowed by the policy as the pure function decides. */

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.stop());

const KEY = 'clock';
const VERSIONS = ['1.0.0', '1.1.0', '2.0.0', '2.1.0'];
const HOUR = 3_600_000;

const version = fc.constantFrom(...VERSIONS);
const selector = fc.constantFrom('clock', 'c*', 'other', 'clock@<2', 'clock@2.1.0', '*@>=1.1.0');
const selectors = fc.array(selector, { maxLength: 2 });
const policies: fc.Arbitrary<PolicyDocument> = fc.record(
  {
    schema: fc.constant(1 as const),
    allow: fc.array(selector, { minLength: 1, maxLength: 3 }),
    deny: selectors,
    pin: fc.constantFrom({ clock: '<2.1' }, { clock: '1.1.0' }, { other: '1.0.0' }),
    minimumAge: fc.constantFrom('1h', '6h', '1d'),
    minimumAgeExclude: selectors,
    minimumAgeStrict: fc.boolean(),
    minimumAgeExcludeSecurityFixes: fc.boolean(),
    allowDeprecated: fc.constantFrom([], ['broken' as const], ['security' as const, 'broken' as const]),
  },
  { requiredKeys: ['schema'] },
);

/** What the author says about versions that are retired. */
const RETIREMENTS: Record<string, Retirement> = {
  '1.0.0': { reason: 'security', message: 'It leaks.', use: '2.0.0', since: null },
  '1.1.0': { reason: 'broken', message: 'It fails.', use: null, since: null },
};

type Step =
  | { do: 'list' | 'verify' | 'refuse' | 'withdraw' | 'restore'; version: string }
  | { do: 'retire' | 'undo'; version: string }
  | { do: 'set'; policy: PolicyDocument | null }
  | { do: 'pass'; hours: number }
  | { do: 'decide' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('list' as const, 'verify' as const), version }) },
  fc.record({ do: fc.constantFrom('refuse' as const, 'withdraw' as const, 'restore' as const), version }),
  fc.record({
    do: fc.constantFrom('retire' as const, 'undo' as const),
    version: fc.constantFrom(...Object.keys(RETIREMENTS)),
  }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('set' as const), policy: fc.option(policies, { freq: 8 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), hours: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('decide' as const) }) },
);

function names(list: readonly { version: string }[]): string[] {
  return list.map((one) => one.version).toSorted();
}

async function openWorld() {
  const { db } = database;
  const organizationId = await addOrganization(db);
  const registryId = await addRegistry(db, `https://apps.example/${organizationId}`);
  const registrySince = new Date(Date.now() - HOUR);
  const subscriptionId = await addSubscription(db, organizationId, registryId, { registrySince });
  const none = Object.fromEntries(VERSIONS.map((one) => [one, { state: 'pending' as const }]));
  await addApp(db, registryId, KEY, {}, none);
  let policy: PolicyDocument | null = null;
  let listed = 0;
  const retired = new Set<string>();
  const about = () => ({
    versions: new Map([...retired].map((one) => [one, { deprecated: RETIREMENTS[one]! }])),
  });
  const place = { organizationId, subscriptionId };
  const update = (one: string, values: Record<string, unknown>) =>
    db.updateTable('versions').set(values).where('registryId', '=', registryId).where('version', '=', one).execute();

  /** @returns whether the policy was applied to all versions */
  async function apply(next: Step): Promise<boolean> {
    if (next.do === 'set') return set(next.policy);
    await change(next);
    return ['decide', 'retire', 'undo'].includes(next.do);
  }

  async function change(next: Exclude<Step, { do: 'set' }>): Promise<void> {
    switch (next.do) {
      // Another artifact, as long as none is verified.
      case 'list':
        await db
          .updateTable('versions')
          .set({ firstSeenAt: new Date(), artifactChecksum: `sha256:${(listed += 1)}` })
          .where('registryId', '=', registryId)
          .where('version', '=', next.version)
          .where('verifiedAt', 'is', null)
          .execute();
        return;
      case 'verify':
        return void (await update(next.version, { state: 'verified', verifiedAt: new Date() }));
      case 'refuse':
        return void (await update(next.version, { state: 'refused' }));
      case 'withdraw':
        return void (await update(next.version, { withdrawnAt: new Date() }));
      case 'restore':
        return void (await update(next.version, { withdrawnAt: null }));
      // A check that reads an about file applies the policy afterwards.
      case 'retire':
      case 'undo':
        await retire(next.version, next.do === 'retire');
        return decidePolicies(db, registryId, new Date());
      case 'decide':
        return decidePolicies(db, registryId, new Date());
      // All times are as many hours earlier: the clock of the database cannot be moved.
      case 'pass': {
        const earlier = (column: string) => sql`${sql.ref(column)} - make_interval(hours => ${next.hours})`;
        await sql`UPDATE versions SET first_seen_at = ${earlier('first_seen_at')} WHERE registry_id = ${registryId}`.execute(
          db,
        );
        await sql`UPDATE subscriptions SET registry_since = ${earlier('registry_since')} WHERE id = ${subscriptionId}`.execute(
          db,
        );
        await sql`UPDATE policy_decisions SET offered_at = ${earlier('offered_at')}
          WHERE subscription_id = ${subscriptionId}`.execute(db);
      }
    }
  }

  async function retire(one: string, isRetired: boolean): Promise<void> {
    if (isRetired) retired.add(one);
    else retired.delete(one);
    const place = { registryId, appKey: KEY, version: one };
    const deprecated = isRetired ? JSON.stringify(RETIREMENTS[one]) : null;
    await db
      .insertInto('aboutVersions')
      .values({ ...place, published: null, notes: null, deprecated })
      .onConflict((conflict) => conflict.columns(['registryId', 'appKey', 'version']).doUpdateSet({ deprecated }))
      .execute();
  }

  /** Sets a policy: it does what its preview says. */
  async function set(next: PolicyDocument | null): Promise<boolean> {
    const before = await offered();
    const preview = (await previewPolicy(db, { ...place, now: new Date() }, next))!;
    const target = { ...place, actor: SERVICE_ACTOR, now: new Date(), confirm: true };
    const { outcome } = (await setPolicy(db, target, next))!;
    policy = next;
    const after = await offered();
    if (outcome === 'same') return false;
    expect(names(preview.hidden)).toEqual(before.filter((one) => !after.includes(one)));
    expect(names(preview.appearing)).toEqual(after.filter((one) => !before.includes(one)));
    return true;
  }

  async function offered(): Promise<string[]> {
    const rows = await candidates();
    const latest = latestOffered(
      rows.map((row) => row.version),
      about(),
    );
    await db.updateTable('apps').set({ latest }).where('registryId', '=', registryId).execute();
    const list = await versionsOf(db, organizationId, subscriptionId, KEY, { limit: 10, after: null });
    const own = list!.versions.filter((one) => one.offered).map((one) => one.version);
    const app = await appOf(db, organizationId, subscriptionId, KEY);
    expect([app!.latest, app!.offered]).toEqual([latestOffered(own, about()), own.length]);
    return own.toSorted();
  }

  async function candidates() {
    const rows = await db.selectFrom('versions').where('registryId', '=', registryId).selectAll().execute();
    return rows.filter(({ state, withdrawnAt }) => state === 'verified' && withdrawnAt === null);
  }

  /**
   * What the pure function offers.
   * @param isLoose of all versions: one may have been decided about while another one was offered, which it replaces
   */
  async function allowed(isLoose: boolean): Promise<string[]> {
    const { registrySince: since } = await db
      .selectFrom('subscriptions')
      .where('id', '=', subscriptionId)
      .select('registrySince')
      .executeTakeFirstOrThrow();
    const all = await db.selectFrom('versions').where('registryId', '=', registryId).selectAll().execute();
    const versions = (isLoose ? all : await candidates()).map((row) => ({
      version: row.version,
      firstSeenAt: row.firstSeenAt < since ? since : row.firstSeenAt,
      attestation: 'off' as const,
    }));
    const app = { key: KEY, about: about(), watchedSince: since, versions };
    const decisions = decideVersions(policy === null ? NO_POLICY : policyOf(policy), app, new Date());
    return decisions.flatMap((one) => (one.hold === null ? [one.version] : [])).toSorted();
  }

  return { apply, offered, allowed, verified: async () => names(await candidates()) };
}

test('what is offered is verified, and allowed by the policy', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
      const world = await openWorld();
      for (const next of steps) {
        const isApplied = await world.apply(next);
        const offered = await world.offered();
        expect(await world.verified()).toEqual(expect.arrayContaining(offered));
        expect(await world.allowed(true)).toEqual(expect.arrayContaining(offered));
        if (isApplied) expect(offered).toEqual(await world.allowed(false));
      }
    }),
    { numRuns: runs(100) },
  );
});

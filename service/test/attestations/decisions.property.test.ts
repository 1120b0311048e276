// Scenario: hundreds of random histories of a database.
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AttestationFacts } from '../../../src/core/facts/attestation.ts';
import { parseStatement, provenanceStatement } from '../../../src/core/attestation/statement.ts';
import { latestOf } from '../../../src/core/registry/precedence.ts';
import { appOf } from '../../src/db/apps.ts';
import { versionsOf } from '../../src/db/versions.ts';
import { decideAttestations, dueAttestations, writeEvidence } from '../../src/db/attestations.ts';
import { type SubscriptionPolicy } from '../../src/domain/signers.ts';
import { setAttestationPolicy } from '../../src/db/signers.ts';
import { type Companion, nextEvidence } from '../../src/domain/attestations.ts';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { runs } from '../../../test/support/property-runs.ts';
import {
  addApp,
  addOrganization,
  addRegistry,
  addSubscription,
  openTestDatabase,
  type TestDatabase,
} from '../database-fixture.ts';

/** Over all orders of events: a version without a proof is never newly offered to a subscription that requires one. */

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.stop());

const KEY = 'clock';
const VERSIONS = ['1.0.0', '2.0.0-rc.1'];
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const identity = (repository: string): SubscriptionPolicy => ({
  mode: 'require',
  signer: { issuer: 'https://issuer.example', identity: null, repository },
});
const VENDOR = 'https://git.example/vendor';
const POLICIES: Record<string, SubscriptionPolicy> = {
  off: { mode: 'off' },
  report: { ...identity(VENDOR), mode: 'report' } as SubscriptionPolicy,
  require: identity(VENDOR),
  'require another': identity('https://git.example/another'),
};

/** Most subscriptions here require attestations. */
const POLICY_NAMES = [...Object.keys(POLICIES), 'require', 'require'];

/** The facts of an attestation of these bytes under this version. */
function facts(version: string, sha256: string, repository: string): AttestationFacts {
  const text = provenanceStatement({
    app: { key: KEY, version },
    sha256,
    sbomSha256: null,
    run: null,
    toolVersion: '1.0.0',
  });
  return {
    bytes: 1,
    sha256: '0'.repeat(64),
    root: { date: '2026-11-05T00:00:00Z', shipped: true },
    failure: null,
    signer: {
      kind: 'certificate',
      issuer: 'https://issuer.example',
      identity: 'robot',
      repository,
      commit: null,
      ref: null,
      run: null,
    },
    signedAt: null,
    log: [],
    content: { kind: 'statement', statement: parseStatement(text)! },
  };
}

/** What a host has beside the artifact of a version. */
const COMPANIONS: Record<string, (version: string, sha256: string) => Companion> = {
  valid: (version, sha256) => ({ state: 'present', facts: facts(version, sha256, VENDOR) }),
  'of another signer': (version, sha256) => ({
    state: 'present',
    facts: facts(version, sha256, 'https://git.example/another'),
  }),
  'of another version': (_, sha256) => ({ state: 'present', facts: facts('0.9.0', sha256, VENDOR) }),
  'of other bytes': (version) => ({ state: 'present', facts: facts(version, digest('other'), VENDOR) }),
  'signed with an unknown key of the log': (version, sha256) => ({
    state: 'present',
    facts: {
      ...facts(version, sha256, VENDOR),
      failure: { cause: 'root-outdated', code: 'unknown-ct-log' },
      signer: null,
      content: null,
    },
  }),
  absent: () => ({ state: 'absent' }),
  unknown: () => ({ state: 'unknown' }),
  'beside a URL that is signed by its query': () => ({ state: 'url-signed' }),
};

type Step =
  | { do: 'list' | 'move'; version: string; bytes: string }
  | { do: 'verify' | 'refuse' | 'withdraw' | 'restore'; version: string }
  | { do: 'publish'; version: string; companion: string }
  | { do: 'set'; policy: string }
  | { do: 'ask' | 'decide' };

const version = fc.constantFrom(...VERSIONS);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('list' as const, 'move' as const), version, bytes: fc.constantFrom('one', 'two') }),
  fc.record({ do: fc.constantFrom('refuse' as const, 'withdraw' as const, 'restore' as const), version }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant('verify' as const), version }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('publish' as const),
      version,
      companion: fc.constantFrom(...Object.keys(COMPANIONS)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('set' as const), policy: fc.constantFrom(...POLICY_NAMES) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('ask' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('decide' as const) }) },
);

/** A registry, its host, and a subscription, with what was true of them. */
async function openWorld() {
  const { db } = database;
  const organizationId = await addOrganization(db);
  const registryId = await addRegistry(db, `https://apps.example/${organizationId}`);
  const subscriptionId = await addSubscription(db, organizationId, registryId);
  await addApp(
    db,
    registryId,
    KEY,
    {},
    Object.fromEntries(VERSIONS.map((one) => [one, { state: 'pending' as const }])),
  );
  const companions = new Map<string, string>();
  /** The versions with their digests that the host had a valid attestation of, by repository, when it was asked. */
  const proven = new Set<string>();
  let policy = 'off';
  const rowOf = (one: string) =>
    db
      .selectFrom('versions')
      .where('registryId', '=', registryId)
      .where('version', '=', one)
      .selectAll()
      .executeTakeFirstOrThrow();
  const update = (one: string, values: Record<string, unknown>) =>
    db.updateTable('versions').set(values).where('registryId', '=', registryId).where('version', '=', one).execute();

  async function ask(): Promise<void> {
    const query = { keys: [''], all: true, now: new Date(), limit: 100 };
    for (const due of await dueAttestations(db, registryId, query)) {
      const { appKey, checksum } = due;
      const companion = companions.get(due.version) ?? 'absent';
      const sha256 = checksum.replace('sha256:', '');
      const evidence = nextEvidence(due.evidence, COMPANIONS[companion]!(due.version, sha256), {
        key: appKey,
        version: due.version,
        checksum,
      });
      const found = { appKey, version: due.version, keySha256: '', evidence };
      await writeEvidence(db, registryId, [found], new Date());
      if (companion === 'valid') proven.add(`require ${due.version} ${checksum}`);
      if (companion === 'of another signer') proven.add(`require another ${due.version} ${checksum}`);
    }
  }

  async function apply(next: Step): Promise<void> {
    switch (next.do) {
      case 'list': {
        // A pinned digest does not change.
        const { verifiedAt } = await rowOf(next.version);
        if (verifiedAt === null)
          await update(next.version, { artifactChecksum: `sha256:${digest(next.bytes)}`, state: 'pending' });
        return;
      }
      // The subscription uses another row of its registry, which has pinned another digest.
      case 'move':
        return void (await update(next.version, { artifactChecksum: `sha256:${digest(next.bytes)}` }));
      case 'verify':
        return void (await update(next.version, { state: 'verified', verifiedAt: new Date() }));
      case 'refuse':
        return void (await update(next.version, { state: 'refused' }));
      case 'withdraw':
        return void (await update(next.version, { withdrawnAt: new Date() }));
      case 'restore':
        return void (await update(next.version, { withdrawnAt: null }));
      case 'publish':
        return void companions.set(next.version, next.companion);
      case 'set': {
        const target = { organizationId, subscriptionId, actor: SERVICE_ACTOR };
        await setAttestationPolicy(db, target, POLICIES[next.policy]!);
        policy = next.policy;
        return;
      }
      case 'ask':
        return ask();
      case 'decide':
        return decideAttestations(db, registryId, new Date());
    }
  }

  /** The versions that are offered to the subscription, with their digests. */
  async function offered(): Promise<string[]> {
    const rows = await db.selectFrom('versions').where('registryId', '=', registryId).selectAll().execute();
    const available = rows.filter(({ state, withdrawnAt }) => state === 'verified' && withdrawnAt === null);
    const latest = latestOf(available.map((row) => row.version));
    await db.updateTable('apps').set({ latest }).where('registryId', '=', registryId).execute();
    const list = await versionsOf(db, organizationId, subscriptionId, KEY, { limit: 10, after: null });
    const own = list!.versions.filter((one) => one.offered);
    const app = await appOf(db, organizationId, subscriptionId, KEY);
    expect(app!.latest).toBe(latestOf(own.map((one) => one.version)));
    expect(app!.offered).toBe(own.length);
    return own.map((one) => `${one.version} ${one.artifactChecksum}`);
  }

  return { apply, offered, proven, policy: () => policy };
}

test('a version is newly offered only with a proof, and stays offered', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
      const world = await openWorld();
      /** Under the requirement without an interruption; null without one. */
      let since: Set<string> | null = null;
      let before: string[] = [];
      for (const next of steps) {
        await world.apply(next);
        const now = await world.offered();
        if (world.policy().startsWith('require')) {
          since ??= new Set(before);
          const policy = world.policy();
          for (const one of now) {
            if (!since.has(one)) expect([...world.proven]).toContain(`${policy} ${one}`);
            since.add(one);
          }
          if (next.do === 'ask' || next.do === 'decide' || next.do === 'publish' || next.do === 'set')
            expect(now).toEqual(expect.arrayContaining(before));
        } else since = null;
        before = now;
      }
    }),
    { numRuns: runs(200) },
  );
});

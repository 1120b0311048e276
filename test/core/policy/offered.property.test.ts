import * as fc from 'fast-check';
import satisfies from 'semver/functions/satisfies.js';
import { expect, test } from 'vitest';
import type { RetirementReason } from '../../../src/core/about/about-document.ts';
import type { About } from '../../../src/core/about/about-file.ts';
import type { ArtifactFacts, Missing } from '../../../src/core/facts/facts.ts';
import {
  type AttestationState,
  decideVersions,
  latestAllowed,
  type OfferedApp,
} from '../../../src/core/policy/decide.ts';
import type { PolicyDocument } from '../../../src/core/policy/policy-document.ts';
import { policyOf, policyViolations } from '../../../src/core/policy/policy.ts';
import { type StoredVersion } from '../../../service/src/domain/version.ts';
import { applyChanges } from '../../../service/src/domain/version.ts';
import { updateVersions } from '../../../service/src/domain/version-lifecycle.ts';
import { hop, probe, web } from '../../support/probes.ts';
import { runs } from '../../support/property-runs.ts';
import { contentWith } from '../../support/snapshots.ts';

/**
 * Offered ⊆ verified ∩ policy: over random histories of listings, artifacts, retirements, attestations, clocks and
 * policies, with the service's own record of versions. What is verified, and what a policy says, is found out here in
 * another way.
 */

const KEY = 'clock';
const HOUR = 3_600_000;
const VERSIONS = ['1.0.0', '1.0.1', '1.1.0', '2.0.0-rc.1'] as const;
const REASONS: RetirementReason[] = ['security', 'broken', 'superseded'];

interface Step {
  hours: number;
  /** By version: the digest that is listed. */
  listed: Record<string, string>;
  /** By version: the digest of what the host sends; null if it sends nothing. */
  served: Record<string, string | null>;
  retired: Record<string, { reason: RetirementReason; use: string | null }>;
  attestations: Record<string, AttestationState>;
  policy: PolicyDocument;
}

const digest = (letter: string): string => letter.repeat(64);
const version = fc.constantFrom(...VERSIONS);
const letter = fc.constantFrom('a', 'a', 'a', 'b');
const selector = fc.constantFrom(
  'clock',
  'cl*',
  'other',
  '*',
  'clock@<1.1',
  'cl*@>=1.1',
  '*@1.0.1',
  'clock@2.0.0-rc.1',
);
const selectors = (minLength: number) => fc.array(selector, { minLength, maxLength: 2 });
const anyPolicy: fc.Arbitrary<PolicyDocument> = fc.record(
  {
    schema: fc.constant(1 as const),
    allow: selectors(1),
    deny: selectors(0),
    pin: fc.constantFrom({ clock: '1.x' }, { clock: '1.0.0' }, { other: '9.x' }),
    minimumAge: fc.constantFrom('1h', '24h', '3d', '3d'),
    minimumAgeExclude: selectors(0),
    minimumAgeStrict: fc.boolean(),
    minimumAgeExcludeSecurityFixes: fc.boolean(),
    requireAttestation: selectors(0),
    allowDeprecated: fc.subarray(REASONS),
  },
  { requiredKeys: ['schema'] },
);
/** With all fields, few versions are offered; of these, only one line decides. */
const agePolicy: fc.Arbitrary<PolicyDocument> = fc.record(
  { schema: fc.constant(1 as const), minimumAge: fc.constant('3d'), minimumAgeExcludeSecurityFixes: fc.boolean() },
  { requiredKeys: ['schema', 'minimumAge'] },
);
const policy = fc.oneof(anyPolicy, agePolicy);
const step: fc.Arbitrary<Step> = fc.record({
  hours: fc.constantFrom(0, 1, 12, 23, 24, 71, 100, -5),
  listed: fc.dictionary(version, letter, { minKeys: 3 }),
  served: fc.dictionary(version, fc.option(letter, { freq: 6 }), { minKeys: 2 }),
  retired: fc.dictionary(
    version,
    fc.record({ reason: fc.constantFrom<RetirementReason>('security', ...REASONS), use: fc.option(version) }),
    {
      maxKeys: 2,
    },
  ),
  attestations: fc.dictionary(version, fc.constantFrom('verified', 'verified', 'missing', 'refused', 'pending')),
  policy,
});

const NONE: Missing = { missing: { code: 'not-requested', flag: null } };

function artifactOf(served: string | null | undefined): ArtifactFacts {
  const url = 'https://apps.example.com/a.tar.gz';
  if (served === undefined) return { url, file: null, web: NONE, content: NONE, archive: NONE };
  if (served === null)
    return { url, file: null, web: web(probe(hop({}, { status: 404 }))), content: NONE, archive: NONE };
  return { url, file: null, web: web(probe(hop())), content: contentWith(digest(served)), archive: NONE };
}

/** Every version claims to be years old. */
function aboutOf(retired: Step['retired']): About {
  const versions = VERSIONS.map((one) => {
    const retirement = retired[one];
    const deprecated = retirement === undefined ? null : { ...retirement, message: 'Old.', since: '2000-01-01' };
    return [one, { published: '2000-01-01T00:00:00Z', notes: null, deprecated }] as const;
  });
  return { app: { homepage: null, source: null, licence: null, support: null }, versions: new Map(versions) };
}

/** What a subscriber could know: the first digest of each version that was both listed and served, and since when. */
interface Truth {
  proved: Map<string, string>;
  listedSince: Map<string, number>;
}

function observe(truth: Truth, { listed, served }: Step, now: number): void {
  for (const [one, sum] of Object.entries(listed)) {
    const name = `${one} ${sum}`;
    truth.listedSince.set(name, Math.min(now, truth.listedSince.get(name) ?? now));
    if (served[one] === sum && !truth.proved.has(one)) truth.proved.set(one, sum);
  }
}

function matches(entries: readonly string[], one: string): boolean {
  return entries.some((text) => {
    const [key = '', range = '*'] = text.split('@');
    return [KEY, 'cl*', '*'].includes(key) && satisfies(one, range, { includePrerelease: true });
  });
}

/** Why the policy does not allow a version; none if it does. */
function refusals(one: string, given: Step, age: number, isThereSinceFirstLook: boolean): string[] {
  const { policy: fields, retired, attestations } = given;
  const reason = retired[one]?.reason;
  const hours = { '1h': 1, '24h': 24, '3d': 72 }[fields.minimumAge ?? ''] ?? 0;
  const isNamed = Object.values(retired).some(({ use }) => use === one) && reason !== 'security';
  const insecure = Object.values(retired).some((known) => known.reason === 'security');
  const isOfAnyAge =
    matches(fields.minimumAgeExclude ?? [], one) ||
    (fields.minimumAgeExcludeSecurityFixes === true && isNamed && insecure) ||
    (fields.minimumAgeStrict === false && isThereSinceFirstLook);
  const pin = fields.pin?.['clock'];
  const found = {
    deny: matches(fields.deny ?? [], one),
    allow: fields.allow !== undefined && !matches(fields.allow, one),
    pin: pin !== undefined && !satisfies(one, pin, { includePrerelease: true }),
    requireAttestation:
      matches(fields.requireAttestation ?? [], one) && (attestations[one] ?? 'pending') !== 'verified',
    allowDeprecated: reason !== undefined && fields.allowDeprecated?.includes(reason) === false && pin !== one,
    // The clock may be set back.
    minimumAge: fields.minimumAge !== undefined && age < hours * HOUR && !isOfAnyAge,
  };
  return Object.entries(found).flatMap(([field, refuses]) => (refuses ? field : []));
}

/** What the service would offer without a policy. */
function appOf(rows: readonly StoredVersion[], given: Step, watchedSince: Date): OfferedApp {
  const verified = rows.filter(({ state, withdrawnAt }) => state === 'verified' && withdrawnAt === null);
  const versions = verified.map(({ version: one, firstSeenAt }) => ({
    version: one,
    firstSeenAt,
    attestation: given.attestations[one] ?? 'pending',
  }));
  return { key: KEY, about: aboutOf(given.retired), watchedSince, versions };
}

test('offered versions are verified, and the policy allows them', { timeout: 120_000 }, () => {
  const held = new Map<string, number>();
  let offered = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
      const truth: Truth = { proved: new Map(), listedSince: new Map() };
      const start = Date.parse('2026-01-01T00:00:00Z');
      let now = start;
      let rows: readonly StoredVersion[] = [];
      for (const [index, given] of steps.entries()) {
        if (index > 0) now += given.hours * HOUR;
        observe(truth, given, now);
        const listed = Object.entries(given.listed).map(([one, sum]) => ({
          version: one,
          artifactUrl: 'https://apps.example.com/a.tar.gz',
          artifactChecksum: `sha256:${digest(sum)}`,
        }));
        const artifacts = listed.map((item) => artifactOf(given.served[item.version]));
        const at = new Date(now);
        const update = { known: rows, listed, artifacts, errors: new Map(), now: at, limit: 100, answers: new Map() };
        rows = applyChanges(rows, updateVersions(update));
        expect(policyViolations(given.policy)).toEqual([]);
        const app = appOf(rows, given, new Date(start));
        const fields = policyOf(given.policy);
        const decisions = decideVersions(fields, app, at);
        expect(decisions.map((one) => one.version)).toEqual(app.versions.map((one) => one.version));
        for (const { version: one, hold } of decisions) {
          const since = truth.listedSince.get(`${one} ${truth.proved.get(one)}`) ?? Number.NaN;
          if (hold === null) {
            offered += 1;
            const row = rows.find((known) => known.version === one);
            expect(row?.artifactChecksum).toBe(`sha256:${digest(truth.proved.get(one) ?? '')}`);
            expect(Object.keys(given.listed)).toContain(one);
            expect(refusals(one, given, now - since, since <= start)).toEqual([]);
            continue;
          }
          const field = /^\w+/.exec(hold.line)?.[0] ?? '';
          held.set(field, (held.get(field) ?? 0) + 1);
          // A version that another line holds back, time alone does not offer.
          expect(hold.offeredAt !== null).toBe(hold.cause === 'too-new');
          if (hold.offeredAt === null) continue;
          const then = (time: number) =>
            decideVersions(fields, app, new Date(time)).find((d) => d.version === one)?.hold;
          expect(then(hold.offeredAt.getTime())).toBeNull();
          expect(then(hold.offeredAt.getTime() - 1)).toEqual(hold);
        }
        const latest = latestAllowed(decisions, app.about);
        if (latest !== null) expect(decisions).toContainEqual({ version: latest, hold: null });
        else expect(decisions.every(({ hold }) => hold !== null)).toBe(true);
      }
    }),
    { numRuns: runs(3000) },
  );
  // All of it occurs in these histories.
  expect(offered).toBeGreaterThan(100);
  expect([...held.keys()].sort()).toEqual([
    'allow',
    'allowDeprecated',
    'deny',
    'minimumAge',
    'pin',
    'requireAttestation',
  ]);
});

// Scenario: subscribers without one check each run all cases of the kit.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { OfferEntry } from '../../src/core/offers/version-offer.ts';
import { isMissing } from '../../src/core/facts/facts.ts';
import { rules } from '../../src/core/rules/index.ts';
import { openTestedService, type TestedService } from './service-fixture.ts';
import { makeCertificatesAcceptable, switchedOff, withoutChecks, withoutRule } from './mutation-switches.ts';
import { CHECKS, type Mutant, MUTANTS, UNSEEN } from './mutants.ts';
import { caseOf, subscriberReport } from './subscriber-fixture.ts';

/** Each rule and check of the service matters to the kit: without it, a case fails. */

vi.mock(import('../../src/core/registry/app-key.ts'), async (original) => {
  const module = await original();
  return { ...module, isSafeKey: (key) => switchedOff.has('app keys') || module.isSafeKey(key) };
});
vi.mock(import('../../src/core/registry/version.ts'), async (original) => {
  const module = await original();
  return {
    ...module,
    isSemver: (text) => switchedOff.has('semantic versions') || module.isSemver(text),
  };
});
vi.mock(import('../../src/core/registry/precedence.ts'), async (original) => {
  const module = await original();
  return {
    ...module,
    latestOf: (versions) =>
      switchedOff.has('precedence') ? ([...versions].at(-1) ?? null) : module.latestOf(versions),
    latestVersion: (versions) =>
      switchedOff.has('precedence') ? ([...versions].at(-1) ?? null) : module.latestVersion(versions),
  };
});
vi.mock(import('../../src/core/registry/checksum.ts'), async (original) => {
  const module = await original();
  const repaired = (text: string): string | null =>
    module.checksumError(text)?.repaired?.slice(7) ?? module.digestOf(text);
  return {
    ...module,
    isChecksum: (text) => (switchedOff.has('form of checksums') ? repaired(text) !== null : module.isChecksum(text)),
    digestOf: (text) => (switchedOff.has('form of checksums') ? repaired(text) : module.digestOf(text)),
  };
});
vi.mock(import('../../src/core/offers/version-offer.ts'), async (original) => {
  const module = await original();
  return {
    ...module,
    offerOf: (one) =>
      module.offerOf({
        entries: switchedOff.has('digests') ? withServedDigests(one.entries) : one.entries,
        errors: switchedOff.has('errors of artifacts') ? [] : one.errors,
        pinned: switchedOff.has('pinned digests') ? null : one.pinned,
      }),
  };
});
vi.mock(import('../../src/observe/http/tls.ts'), async (original) => {
  const module = await original();
  return {
    ...module,
    checkServerIdentity: (host, certificate) =>
      switchedOff.has('names of certificates') ? undefined : module.checkServerIdentity(host, certificate),
  };
});

let service: TestedService;
let restore: () => void;
beforeAll(async () => {
  restore = makeCertificatesAcceptable();
  service = await openTestedService();
});
afterAll(async () => {
  await service.stop();
  restore();
});

/** As if the digests of what is served were listed. */
function withServedDigests<Entry extends OfferEntry>(entries: readonly [Entry, ...Entry[]]): [Entry, ...Entry[]] {
  const [first, ...others] = entries.map((entry) => {
    const content = entry.facts?.content;
    return content === undefined || isMissing(content) ? entry : { ...entry, checksum: `sha256:${content.sha256}` };
  });
  return first === undefined ? [entries[0]] : [first, ...others];
}

async function failing(...ids: string[]): Promise<string[]> {
  const { cases } = await subscriberReport(service.run, { cases: ids.map(caseOf) });
  return cases.filter(({ status }) => status === 'fail').map(({ id }) => id);
}

test.each(MUTANTS.map((mutant) => [nameOf(mutant), mutant] as const))(
  'without %s, a case fails',
  { timeout: 60_000 },
  async (_, { rules: off = [], checks = [], case: id }) => {
    const run = off.reduce(
      (inner, rule) => () => withoutRule(rule, inner),
      () => withoutChecks(checks, () => failing(id)),
    );
    expect(await run()).toEqual([id]);
  },
);

test('with all rules and checks, these cases pass', { timeout: 120_000 }, async () => {
  expect(await failing(...MUTANTS.map((mutant) => mutant.case))).toEqual([]);
});

test('every check and every rule that may be an error is switched off, or has a reason why no case can see it', () => {
  const seen = MUTANTS.flatMap((mutant) => mutant.rules ?? []);
  const mayBeError = rules.filter(({ severity, worstSeverity }) => (worstSeverity ?? severity) === 'error');
  expect([...seen, ...Object.keys(UNSEEN)].toSorted()).toEqual(mayBeError.map(({ id }) => id).toSorted());
  expect(new Set(MUTANTS.flatMap(({ checks = [] }) => checks))).toEqual(new Set(CHECKS));
});

function nameOf({ rules: off = [], checks = [] }: Mutant): string {
  return [...off.map((id) => `the rule ${id}`), ...checks.map((check) => `the check of ${check}`)].join(' and ');
}

import { type AddressFacts, isMissing, type Missing, type Resource, type ResourceKind } from '../facts/facts.ts';
import type { NotJudgedReason } from '../facts/missing.ts';
import { unroutableAddresses } from '../http/address-comparison.ts';
import { hostnameOf } from '../http/probe.ts';

/** A kind of resource of which not everything was observed, and why. */
interface Skipped {
  resource: ResourceKind;
  reason: NotJudgedReason;
}

/** Observations that a run reused from earlier runs, or took from cached copies. */
export class CoverageRecord {
  /** Reused observations: only the views, or everything. */
  readonly #reused = new Map<string, { resource: ResourceKind; views: boolean; count: number; since: string }>();
  /** The documents that were copies from before the last hourly check, and the age of the oldest in seconds. */
  readonly #staleCopies = new Map<ResourceKind, { count: number; age: number }>();
  /** The number of versions whose required attestation is not known. */
  #undecided = 0;
  readonly #omitsTimes: boolean;

  /** @param omitsTimes see `omitsReuseTimes` of JudgeOptions */
  constructor(omitsTimes: boolean) {
    this.#omitsTimes = omitsTimes;
  }

  /** Records a document that was a cached copy of that age, in seconds. */
  addStaleCopy(resource: ResourceKind, age: number): void {
    const known = this.#staleCopies.get(resource) ?? { count: 0, age: 0 };
    this.#staleCopies.set(resource, { count: known.count + 1, age: Math.max(known.age, age) });
  }

  /** Records facts that were reused from an earlier run: all of them, or only the views. */
  addReused(resource: ResourceKind, facts: Pick<Resource, 'reusedFrom' | 'viewsReusedFrom'>): void {
    const since = facts.reusedFrom ?? facts.viewsReusedFrom;
    if (since === undefined) return;
    const views = facts.reusedFrom === undefined;
    const key = `${resource} ${views ? 'views' : 'whole'}`;
    const known = this.#reused.get(key) ?? { resource, views, count: 0, since };
    known.count++;
    if (since < known.since) known.since = since;
    this.#reused.set(key, known);
  }

  /** Records a version whose required attestation is not known. */
  addUndecidedAttestation(): void {
    this.#undecided += 1;
  }

  /** Kinds of resources that were not observed in this run; for the end of it. */
  skipped(): Skipped[] {
    // Sorted, since the order in which they were found depends on the network.
    const reused = [...this.#reused].sort(([one], [other]) => (one < other ? -1 : 1));
    return [
      ...reused.map(([, { resource, count, since, views }]): Skipped => {
        return { resource, reason: { code: 'reused', count, since: this.#omitsTimes ? null : since, views } };
      }),
      ...[...this.#staleCopies].map(([resource, { count, age }]): Skipped => {
        return { resource, reason: { code: 'stale-copy', count, age } };
      }),
    ];
  }

  /** The reason why the run does not prove what it was to prove; null if it does. */
  whyIncomplete(): string | null {
    if (this.#undecided === 0) return null;
    return `attestations are required, and ${this.#undecided === 1 ? 'that of one version is' : `those of ${this.#undecided} versions are`} not known`;
  }
}

/** The reasons why addresses of a host were not compared. */
export function notComparedAddresses(facts: AddressFacts | Missing): NotJudgedReason[] {
  if (isMissing(facts)) return [facts.missing];
  const host = hostnameOf(facts.url);
  const addresses = unroutableAddresses(facts);
  const { leftOut: count, answers } = facts;
  return [
    ...(addresses.length > 0 ? [{ code: 'addresses-unroutable', host, addresses } as const] : []),
    ...(count > 0 ? [{ code: 'addresses-left-out', host, count, compared: answers.length } as const] : []),
  ];
}

import type { AddressFacts, Missing, Probe, Resource, ResourceKind } from '../facts/facts.ts';
import { isMissing } from '../facts/facts.ts';
import { unroutableAddresses } from '../http/address-comparison.ts';
import { hostnameOf } from '../http/probe.ts';
import type { NotJudgedReason } from '../facts/missing.ts';
import type { NotJudgedRecord } from './not-judged.ts';
import type { SymptomRecord } from './symptoms.ts';

/** What a run reused from earlier runs, took from cached copies, or requested for only a part of the resources. */
export class CoverageRecord {
  readonly #notJudged: NotJudgedRecord;
  readonly #symptoms: SymptomRecord;
  /** What was reused: only the views, or everything. */
  readonly #reused = new Map<string, { resource: ResourceKind; views: boolean; count: number; since: string }>();
  /** The documents that were copies from before the last hourly check, and the age of the oldest in seconds. */
  readonly #staleCopies = new Map<ResourceKind, { count: number; age: number }>();
  /** The number of versions whose required attestation is not known. */
  #undecided = 0;
  readonly #omitsTimes: boolean;

  /** @param omitsTimes see `omitsReuseTimes` of JudgeOptions */
  constructor(notJudged: NotJudgedRecord, symptoms: SymptomRecord, omitsTimes: boolean) {
    this.#omitsTimes = omitsTimes;
    this.#notJudged = notJudged;
    this.#symptoms = symptoms;
  }

  /** Records a document that was a cached copy of that age, in seconds: later publications are missing from it. */
  addStaleCopy(resource: ResourceKind, age: number): void {
    const known = this.#staleCopies.get(resource) ?? { count: 0, age: 0 };
    this.#staleCopies.set(resource, { count: known.count + 1, age: Math.max(known.age, age) });
    this.#symptoms.markUnknown('app-does-not-appear', 'checksum-mismatch');
    if (resource === 'manifest') this.#symptoms.markUnknown('icon-does-not-display');
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

  /** Records that HEAD and preflights were sent for only some resources of a kind. */
  addSampled(resource: ResourceKind, head: Probe | Missing): void {
    if (!isMissing(head) || head.missing.code !== 'sampled' || this.#notJudged.wasNoted(`${resource} sampled`)) return;
    this.#notJudged.addSkipped(resource, head.missing);
  }

  /** Records the addresses of a host that were not compared, each host once. */
  addAddresses(resource: ResourceKind, addresses: AddressFacts | Missing): void {
    const reasons: NotJudgedReason[] = isMissing(addresses) ? [addresses.missing] : notCompared(addresses);
    for (const reason of reasons)
      if (!this.#notJudged.wasNoted(JSON.stringify(reason))) this.#notJudged.addSkipped(resource, reason);
  }

  /** Records a version whose required attestation is not known: the run does not prove what it was to prove. */
  addUndecidedAttestation(): void {
    this.#undecided += 1;
  }

  /** Adds what was recorded to the entries that were not judged; call it at the end of the run. */
  finish(): void {
    // Sorted, since the order in which they were found depends on the network.
    const reused = [...this.#reused].sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [, { resource, count, since, views }] of reused)
      this.#notJudged.addSkipped(resource, { code: 'reused', count, since: this.#omitsTimes ? null : since, views });
    for (const [resource, { count, age }] of this.#staleCopies)
      this.#notJudged.addSkipped(resource, { code: 'stale-copy', count, age });
    if (this.#undecided > 0)
      this.#notJudged.addIncomplete(
        `attestations are required, and ${this.#undecided === 1 ? 'that of one version is' : `those of ${this.#undecided} versions are`} not known`,
      );
  }
}

/** Why addresses of a host were not compared. */
function notCompared(facts: AddressFacts): NotJudgedReason[] {
  const host = hostnameOf(facts.url);
  const addresses = unroutableAddresses(facts);
  const { leftOut: count, answers } = facts;
  return [
    ...(addresses.length > 0 ? [{ code: 'addresses-unroutable', host, addresses } as const] : []),
    ...(count > 0 ? [{ code: 'addresses-left-out', host, count, compared: answers.length } as const] : []),
  ];
}

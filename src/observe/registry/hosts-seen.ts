import type { HeaderProbe, Probe, RepeatedProbe, SideProbe, TlsFacts } from '../../core/facts/facts.ts';
import { originOf } from '../../core/http/probe.ts';
import { isRefusalStatus } from '../../core/http/repeated-probes.ts';
import { memoizeAsync } from '../../core/values/promises.ts';
import { type AlternatingOrigins, openMissingFiles } from '../http/missing-files.ts';
import { isSameBehavior, type Views } from './cache.ts';
import { Sample } from './sample.ts';
import { SecondLooks } from './second-look.ts';

/** Number of resources of a kind and host that are probed with single headers; the others are expected to behave alike. */
const PROBED = 3;

/** The hosts, as a run knows them so far: each fact about one is requested once per kind of resource and host. */
export class HostsSeen {
  readonly #alternating: AlternatingOrigins = new Map();
  readonly #certificates = new Map<string, TlsFacts>();
  readonly #always304 = new Set<string>();
  readonly #claimed = new Set<string>();
  readonly #answered = new Map<string, Promise<boolean>>();
  readonly #views = new Map<string, Promise<Views>>();
  readonly #headerProbes = new Map<string, Promise<HeaderProbe[]>[]>();
  readonly #refused = new Map<string, Promise<RepeatedProbe | null>>();
  readonly #unanswered = new Map<string, Promise<RepeatedProbe | null>>();
  /** Decides for which resources HEAD and preflights are sent. */
  readonly sample = new Sample();
  /** Confirms files that a host reports as missing. */
  readonly missingFiles = openMissingFiles(this.#alternating);
  /** Requests files again whose responses cannot be used. */
  readonly secondLooks = new SecondLooks();

  /** Remembers the certificates of the hosts that answered. */
  noteCertificates({ hops }: Probe): void {
    for (const { url, tls } of hops) if (tls) this.#certificates.set(originOf(url), tls);
  }

  /** The certificate that a host presented in this run. */
  certificateOf(url: string): TlsFacts | undefined {
    return this.#certificates.get(originOf(url));
  }

  /** The host of this URL answers 304 to every conditional request. */
  noteFalse304(url: string): void {
    this.#always304.add(new URL(url).origin);
  }

  /** True if a 304 of the host says nothing. */
  sendsFalse304(url: string): boolean {
    return this.#always304.has(new URL(url).origin);
  }

  /** The statuses of the host alternate, whatever is sent. */
  noteAlternating(alternating: Omit<RepeatedProbe, 'of'>): void {
    this.#alternating.set(originOf(alternating.url), alternating);
  }

  /** The probe that showed that the host alternates; undefined if none did. */
  alternating(url: string): Omit<RepeatedProbe, 'of'> | undefined {
    return this.#alternating.get(originOf(url));
  }

  /** True for the first resource of a key that asks, whether or not it is answered. */
  claim(key: string): boolean {
    const isFirst = !this.#claimed.has(key);
    this.#claimed.add(key);
    return isFirst;
  }

  /**
   * Selects the first answered document of a key, in the order in which they are started.
   * @param isAnswered whether this one gets a response
   * @returns whether no earlier one of the same key did
   */
  async claimAnswered(key: string, isAnswered: Promise<boolean>): Promise<boolean> {
    const earlier = this.#answered.get(key) ?? Promise.resolve(false);
    this.#answered.set(
      key,
      earlier.then((isClaimed) => isClaimed || isAnswered),
    );
    return !(await earlier);
  }

  /**
   * The views of an unchanged resource: null if its earlier ones are like those of the first one of its key, which is
   * observed. Those that differ may have been corrected meanwhile.
   * @param before the earlier views of this resource
   */
  async viewsIfChanged(key: string, before: Views, observe: () => Promise<Views>): Promise<Views | null> {
    const first = this.#views.get(key);
    if (first !== undefined) return isSameBehavior(await first, before) ? null : observe();
    const fresh = observe();
    this.#views.set(key, fresh);
    return fresh;
  }

  /** Probes a few resources of each key. The others wait for their results about the host, and get none. */
  async probeFew(key: string, probe: () => Promise<HeaderProbe[]>): Promise<HeaderProbe[]> {
    const earlier = this.#headerProbes.get(key) ?? [];
    this.#headerProbes.set(key, earlier);
    if (earlier.length >= PROBED) {
      await Promise.all(earlier);
      return [];
    }
    const probing = probe();
    earlier.push(probing);
    return probing;
  }

  /** The result of repeating a refused request, once per kind of request and resource and per host. */
  refused(
    of: SideProbe,
    kind: string,
    url: string,
    repeat: () => Promise<RepeatedProbe | null>,
  ): Promise<RepeatedProbe | null> {
    const origin = originOf(url);
    return memoizeAsync(this.#refused, `${of} ${kind} ${origin}`, async () => {
      const repeated = await repeat();
      if (repeated !== null && repeated.plain.some(isRefusalStatus)) this.#alternating.set(origin, repeated);
      return repeated;
    });
  }

  /** The result of repeating a request without an answer, once per kind of request and host; null: it was answered. */
  unanswered(of: SideProbe, url: string, repeat: () => Promise<RepeatedProbe | null>): Promise<RepeatedProbe | null> {
    return memoizeAsync(this.#unanswered, `${of} ${originOf(url)}`, repeat);
  }

  /** True if a host is known to never answer a kind of request. */
  async neverAnswers(of: SideProbe, url: string): Promise<boolean> {
    return ((await this.#unanswered.get(`${of} ${originOf(url)}`)) ?? null) !== null;
  }
}

import type { AddressFacts, Missing, Probe, ResourceKind } from '../facts/facts.ts';
import { isMissing } from '../facts/facts.ts';
import { hostnameOf, originOf } from '../http/probe.ts';

/** The order in which the kinds of files on one host are preferred for reporting a finding about that host. */
const IMPORTANCE: readonly ResourceKind[] = ['manifest', 'metadata', 'artifact', 'icon'];

/** The hosts that were requested in a run. */
export class RequestedHosts {
  /** The first kind of resource on each origin, in the order of `IMPORTANCE`. */
  readonly #kinds = new Map<string, ResourceKind>();
  readonly #compared = new Set<string>();

  /** The host names whose addresses were each requested. */
  get compared(): ReadonlySet<string> {
    return this.#compared;
  }

  /** Records the hosts that responded to the request for a resource. */
  addHops(kind: ResourceKind, { hops }: Probe): void {
    for (const { url } of hops) {
      const origin = originOf(url);
      const known = this.#kinds.get(origin);
      if (known === undefined || IMPORTANCE.indexOf(kind) < IMPORTANCE.indexOf(known)) this.#kinds.set(origin, kind);
    }
  }

  /** Records a host whose addresses were each requested. */
  addCompared(addresses: AddressFacts | Missing): void {
    if (!isMissing(addresses)) this.#compared.add(hostnameOf(addresses.url));
  }

  /** The kind of resource that a finding about a host is reported for. */
  kindOf(origin: string): ResourceKind {
    return this.#kinds.get(origin) ?? 'manifest';
  }
}

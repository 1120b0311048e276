import type { Count, Digest } from '../scalars.ts';
import type { Probe } from './probe.ts';

/** How a host answers at each of its addresses: observed with `--each-address`, for one resource of each kind. */
export interface AddressFacts {
  /** The requested URL: that of the resource, or of a redirect to another host. */
  url: string;
  /** In the order of the resolver. */
  answers: AddressAnswer[];
  /** How many further addresses the name has, which were not requested. */
  leftOut: Count;
  /** The families for which this machine has an address that can reach public ones. */
  families: (4 | 6)[];
}

export interface AddressAnswer {
  address: string;
  /**
   * One; or two, if the addresses differed the first time.
   *
   * @minItems 1
   */
  samples: AddressSample[];
}

export interface AddressSample {
  /** GET as a server-side client sends it. */
  server: Probe;
  /** The decoded body; null without a complete 2xx response. `cut`: up to a limit, the same at each address. */
  content: { bytes: Count; sha256: Digest; cut: boolean } | null;
  /** GET as a browser sends it; null if the first one got no response. */
  browser: Probe | null;
}

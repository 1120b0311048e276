import type { Probe } from '../../core/facts/facts.ts';

/** A response of a host. */
export interface HostResponse {
  probe: Probe;
  /** As sent; null if none was read. */
  body: Buffer | null;
  /** True if it came over a connection that was used before. */
  reused: boolean;
}

/** The responses by the name of their request: several if it was sent several times at once. */
export type Responses = ReadonlyMap<string, readonly HostResponse[]>;

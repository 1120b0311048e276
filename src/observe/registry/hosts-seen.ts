import {
  type HeaderProbe,
  type HttpViews,
  isMissing,
  type Missing,
  type Probe,
  type RepeatedProbe,
  type TlsFacts,
} from '../../core/facts/facts.ts';
import { corsFault } from '../../core/http/cors.ts';
import { header } from '../../core/http/headers.ts';
import { preflightFault } from '../../core/http/preflight.ts';
import { isAnswered, lastHop, originOf } from '../../core/http/probe.ts';
import { type AlternatingOrigins, type MissingFiles, openMissingFiles } from '../http/missing-files.ts';

/** What the run has learned about the hosts so far, so that it is requested once per kind of resource and host. */
export interface ObserveState {
  /** Decides for which resources HEAD and preflights are sent. */
  readonly sample: Sample;
  /** Confirms files that a host reports as missing. */
  readonly missingFiles: MissingFiles;
  /** Selects the document that gets conditional requests: one per kind and host. */
  readonly firstPerKey: FirstPerKey;
  /** The certificates that hosts presented in this run, by origin. */
  readonly certificates: Map<string, TlsFacts>;
  /** The hosts that answer 304 to every conditional request. */
  readonly always304Origins: Set<string>;
  readonly alternatingOrigins: AlternatingOrigins;
  /** True if views of a kind of resource and a host are unchanged, once one was observed. */
  readonly unchangedViews: Map<string, Promise<boolean>>;
  /** The kinds of resources and hosts whose first resource was probed. */
  readonly probedKinds: Set<string>;
  /** The header probes made, by kind and host. */
  readonly headerProbes: Map<string, Promise<HeaderProbe[]>[]>;
  /** The results of repeated requests, by kind of resource and request, and by host. */
  readonly repeatedProbes: Map<string, Promise<RepeatedProbe | null>>;
  /** True if a host never answers a kind of request, by kind of request and host. */
  readonly unanswered: Map<string, Promise<RepeatedProbe | null>>;
}

/** The state of a new run. */
export function openState(): ObserveState {
  const alternatingOrigins: AlternatingOrigins = new Map();
  return {
    sample: openSample(),
    missingFiles: openMissingFiles(alternatingOrigins),
    firstPerKey: openFirstPerKey(),
    certificates: new Map(),
    always304Origins: new Set(),
    alternatingOrigins,
    unchangedViews: new Map(),
    probedKinds: new Set(),
    headerProbes: new Map(),
    repeatedProbes: new Map(),
    unanswered: new Map(),
  };
}

/** Selects the first successful document per key, in the order in which they are started. */
export interface FirstPerKey {
  /**
   * @param isAnswered whether this one gets a response
   * @returns whether no earlier one of the same key did
   */
  claim(key: string, isAnswered: Promise<boolean>): Promise<boolean>;
}

/** Creates a selection without keys. */
export function openFirstPerKey(): FirstPerKey {
  const claims = new Map<string, Promise<boolean>>();
  return {
    async claim(key, isAnswered) {
      const earlier = claims.get(key) ?? Promise.resolve(false);
      claims.set(
        key,
        earlier.then((isClaimed) => isClaimed || isAnswered),
      );
      return !(await earlier);
    },
  };
}

/**
 * How a host responds to methods other than GET is a setting of the host, and these requests are half of the total. If
 * the first resources of a kind respond well, only a sample of the others is requested; if one does not, all are.
 */
export interface Sample {
  /**
   * @param kind of the resource, artifacts apart from icons
   * @param server its plain GET
   * @param send sends HEAD and preflights for it
   */
  methods(kind: string, server: Probe, send: () => Promise<Methods>): Promise<Methods>;
}

export type Methods = Pick<HttpViews, 'head' | 'preflight' | 'preflights'>;

/** Number of resources that are always requested; of the others one in `EVERY` is. */
const FIRST = 20;

const EVERY = 10;

/** Why HEAD and preflights were not sent for a resource. */
export const SAMPLED: Missing = { missing: { code: 'sampled' }, runWide: true, intentional: true };

/** Creates a sample for one run. */
export function openSample(): Sample {
  const groups = new Map<string, { started: number; hasNoFindings: boolean; first: Promise<unknown>[] }>();
  return {
    async methods(kind, server, send) {
      const key = `${kind} ${server.hops.map((hop) => originOf(hop.url)).join(' ')}`;
      const group = groups.get(key) ?? { started: 0, hasNoFindings: true, first: [] };
      groups.set(key, group);
      const number = group.started;
      group.started += 1;
      if (number >= FIRST) {
        await Promise.all(group.first);
        if (group.hasNoFindings && number % EVERY !== 0) return { head: SAMPLED, preflight: SAMPLED };
      }
      const sent = send();
      if (number < FIRST) group.first.push(sent);
      const methods = await sent;
      group.hasNoFindings &&= hasNoFindings(server, methods);
      return methods;
    },
  };
}

function hasNoFindings(server: Probe, { head, preflight, preflights = [] }: Methods): boolean {
  if (isMissing(head) || !isAnswered(head) || head.attempts > 1 || !hasSameValidators(server, head)) return false;
  if (corsFault(head) !== null) return false;
  return [preflight, ...preflights].every((probe) =>
    isMissing(probe)
      ? probe.intentional === true
      : probe.attempts === 1 && preflightFault(probe, probe.requestedHeaders ?? []) === null,
  );
}

/** True if HEAD reports the same validator and length as GET. */
export function hasSameValidators(get: Probe, head: Probe): boolean {
  return ['content-length', 'etag', 'content-encoding'].every((name) => {
    const [ofGet = null, ofHead = null] = [get, head].map((probe) => header(lastHop(probe)?.headers ?? [], name));
    return ofGet === ofHead || ofGet === null || ofHead === null;
  });
}

import { PROBE_ORIGIN } from '../../core/http/cors.ts';
import type { Conditional, Hop, RepeatedProbe, ResourceKind, Probe } from '../../core/facts/facts.ts';
import { header, httpDate } from '../../core/http/headers.ts';
import { mayBeRepeated } from '../../core/facts/repeated-probes.ts';
import { isAnswered, lastHop } from '../../core/http/probe.ts';
import { createDigester } from '../digest/digest.ts';
import { probeTwice } from './retry-probes.ts';
import type { HttpClient } from '../http/client.ts';
import { notRequested } from '../http/circuit-breaker.ts';
import { repeat, type RepeatsContext } from './repeated-probes.ts';

/** Conditional requests for a document (RFC 9110 section 13), which save the hourly check most of its bytes. */

/** An entity tag that no host has issued. */
const MADE_UP = '"appreg-probe-never-issued"';
const DAY = 86_400_000;
/** An entity tag, weak or strong; looser than RFC 9110, as browsers are. */
export const ENTITY_TAG = /^(?:W\/)?"[^"]*"$/;

interface Asking {
  http: HttpClient;
  /** The origins that the user named. */
  origins: readonly string[];
  total: { small: number };
  onBytes(count: number): void;
  onBody(hop: Hop): void;
}

/**
 * Sends one request with a validator that the host never issued, and one with the validator that it just sent.
 * @param first the probe that fetched the document, whose bytes have the digest `sha256`
 */
export async function probeConditions(
  first: Probe,
  sha256: string,
  accept: string,
  limit: number,
  context: Asking,
): Promise<Conditional[]> {
  const { headers } = lastHop(first)!;
  const etag = header(headers, 'etag');
  const changed = httpDate(header(headers, 'last-modified'));
  const asked: [Conditional['condition'], madeUp: boolean][] = [[['if-none-match', MADE_UP], true]];
  if (etag !== null && ENTITY_TAG.test(etag)) asked.push([['if-none-match', etag], false]);
  else if (etag === null && changed !== null)
    asked.push([['if-modified-since', new Date(changed - DAY).toUTCString()], true]);
  const all = await Promise.all(
    asked.map(async ([condition, madeUp]): Promise<Conditional> => {
      let digester: ReturnType<typeof createDigester> | null = null;
      const visit = await probeTwice(context.http, {
        method: 'GET',
        url: first.hops[0]!.url,
        // Also shows how the host responds to an unknown origin; all other requests name the service's own.
        origin: madeUp && context.origins.length > 0 ? PROBE_ORIGIN : null,
        accept,
        headers: [condition],
        total: context.total.small,
        ...(madeUp
          ? {}
          : {
              body(hop) {
                const same = header(hop.headers, 'etag') === etag;
                if (!same) context.onBody(hop);
                const made = (digester = same ? null : createDigester(limit));
                return {
                  limit: same ? 0 : limit,
                  over: 'cut' as const,
                  instant: true,
                  write(chunk: Uint8Array) {
                    context.onBytes(chunk.length);
                    made?.write(chunk);
                  },
                };
              },
            }),
      });
      // Assigned in the callback, which the compiler does not track.
      const content = (digester as ReturnType<typeof createDigester> | null)?.end() ?? null;
      const whole = content !== null && isAnswered(visit);
      return { condition, fabricated: madeUp, visit, sameBytes: whole ? content.sha256 === sha256 : null };
    }),
  );
  return all.filter(({ visit }) => !notRequested(visit));
}

/**
 * Repeats the request with a condition that was refused; null if none was. An unknown origin may be refused for other
 * reasons.
 */
export async function repeatCondition(
  first: Probe,
  conditional: readonly Conditional[],
  role: ResourceKind,
  accept: string,
  context: RepeatsContext,
): Promise<RepeatedProbe | null> {
  const { url } = first.hops[0]!;
  const refused = conditional.find(({ visit }) => visit.origin === null && mayBeRepeated('condition', visit));
  if (!refused) return null;
  const same = (): Promise<Probe> =>
    context.http.probe({
      method: 'GET',
      url,
      origin: null,
      accept,
      headers: [refused.condition],
      total: context.total.small,
    });
  return repeat('condition', refused.visit, { role, url, accept }, same, context);
}

/** Selects the first successful document per key, in the order in which they are started. */
export interface FirstPerKey {
  /**
   * @param answered whether this one gets a response
   * @returns whether no earlier one of the same key did
   */
  mine(key: string, answered: Promise<boolean>): Promise<boolean>;
}

export function openFirstPerKey(): FirstPerKey {
  const last = new Map<string, Promise<boolean>>();
  return {
    async mine(key, answered) {
      const before = last.get(key) ?? Promise.resolve(false);
      last.set(
        key,
        before.then((done) => done || answered),
      );
      return !(await before);
    },
  };
}

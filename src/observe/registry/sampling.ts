import { corsFault, preflightFault } from '../../core/http/cors.ts';
import type { Probe, HttpViews } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { header } from '../../core/http/headers.ts';
import { SAMPLED, isAnswered, lastHop, originOf } from '../../core/http/probe.ts';

/**
 * How a host answers other methods than GET is a setting of the host, and asking costs half of all requests: where the
 * first resources of a kind answer them well, a part of the others is asked. Where one does not, all are.
 */
export interface Sample {
  /**
   * @param kind what it is, artifacts apart from icons; @param service the plain GET of it
   * @param ask asks it by HEAD and for preflights
   */
  methods(kind: string, service: Probe, ask: () => Promise<Methods>): Promise<Methods>;
}
export type Methods = Pick<HttpViews, 'head' | 'preflight' | 'preflights'>;

/** So many are asked in any case, and one of so many of the others. */
const FIRST = 20;
const EVERY = 10;

export function openSample(): Sample {
  const places = new Map<string, { begun: number; well: boolean; first: Promise<unknown>[] }>();
  return {
    async methods(kind, service, ask) {
      const place = `${kind} ${service.hops.map((hop) => originOf(hop.url)).join(' ')}`;
      let known = places.get(place);
      if (!known) places.set(place, (known = { begun: 0, well: true, first: [] }));
      const number = known.begun++;
      if (number >= FIRST) {
        await Promise.all(known.first);
        if (known.well && number % EVERY !== 0) return { head: SAMPLED, preflight: SAMPLED };
      }
      const asking = ask();
      if (number < FIRST) known.first.push(asking);
      const methods = await asking;
      known.well &&= isWell(service, methods);
      return methods;
    },
  };
}

/** True where there is nothing to be said of it, and so nothing to be asked of the others. */
function isWell(service: Probe, { head, preflight, preflights = [] }: Methods): boolean {
  if (isMissing(head) || !isAnswered(head) || head.attempts > 1 || !namesTheSame(service, head)) return false;
  if (corsFault(head) !== null) return false;
  return [preflight, ...preflights].every((one) =>
    isMissing(one)
      ? one.intentional === true
      : one.attempts === 1 && preflightFault(one, one.requestedHeaders ?? []) === null,
  );
}

/** Whether HEAD names the same validator and length as GET. */
export function namesTheSame(get: Probe, head: Probe): boolean {
  return ['content-length', 'etag', 'content-encoding'].every((name) => {
    const [one, other] = [get, head].map((visit) => header(lastHop(visit)?.headers ?? [], name));
    return one === other || one === null || other === null;
  });
}

import { corsFault, preflightFault } from '../core/cors.ts';
import type { Visit, Web } from '../core/facts.ts';
import { isUnseen } from '../core/facts.ts';
import { header } from '../core/headers.ts';
import { ASKED_OF_SOME, isAnswered, lastHop, originOf } from '../core/visit.ts';

/**
 * How a host answers other methods than GET is a setting of the host, and asking costs half of all requests: where the
 * first resources of a kind answer them well, a part of the others is asked. Where one does not, all are.
 */
export interface Sample {
  /**
   * @param kind what it is, artifacts apart from icons; @param service the plain GET of it
   * @param ask asks it by HEAD and for preflights
   */
  methods(kind: string, service: Visit, ask: () => Promise<Methods>): Promise<Methods>;
}
export type Methods = Pick<Web, 'head' | 'preflight' | 'preflights'>;

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
        if (known.well && number % EVERY !== 0) return { head: ASKED_OF_SOME, preflight: ASKED_OF_SOME };
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
function isWell(service: Visit, { head, preflight, preflights = [] }: Methods): boolean {
  if (isUnseen(head) || !isAnswered(head) || head.attempts > 1 || !namesTheSame(service, head)) return false;
  if (corsFault(head) !== null) return false;
  return [preflight, ...preflights].every((one) =>
    isUnseen(one) ? one.aside === true : one.attempts === 1 && preflightFault(one, one.asked ?? []) === null,
  );
}

/** Whether HEAD names the same validator and length as GET. */
export function namesTheSame(get: Visit, head: Visit): boolean {
  return ['content-length', 'etag', 'content-encoding'].every((name) => {
    const [one, other] = [get, head].map((visit) => header(lastHop(visit)?.headers ?? [], name));
    return one === other || one === null || other === null;
  });
}

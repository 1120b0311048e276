import { corsFault, preflightFault } from '../../core/http/cors.ts';
import type { Probe, HttpViews } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { header } from '../../core/http/headers.ts';
import { SAMPLED, isAnswered, lastHop, originOf } from '../../core/http/probe.ts';

/**
 * How a host responds to methods other than GET is a setting of the host, and these requests are half of the total. If
 * the first resources of a kind respond well, only a sample of the others is requested; if one does not, all are.
 */
export interface Sample {
  /**
   * @param kind of the resource, artifacts apart from icons
   * @param service its plain GET
   * @param ask sends HEAD and preflights for it
   */
  methods(kind: string, service: Probe, ask: () => Promise<Methods>): Promise<Methods>;
}
export type Methods = Pick<HttpViews, 'head' | 'preflight' | 'preflights'>;

/** Number of resources that are always requested; of the others one in `EVERY` is. */
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

/** True if it has no findings, so that the others need not be requested. */
function isWell(service: Probe, { head, preflight, preflights = [] }: Methods): boolean {
  if (isMissing(head) || !isAnswered(head) || head.attempts > 1 || !namesTheSame(service, head)) return false;
  if (corsFault(head) !== null) return false;
  return [preflight, ...preflights].every((one) =>
    isMissing(one)
      ? one.intentional === true
      : one.attempts === 1 && preflightFault(one, one.requestedHeaders ?? []) === null,
  );
}

/** Whether HEAD reports the same validator and length as GET. */
export function namesTheSame(get: Probe, head: Probe): boolean {
  return ['content-length', 'etag', 'content-encoding'].every((name) => {
    const [one, other] = [get, head].map((visit) => header(lastHop(visit)?.headers ?? [], name));
    return one === other || one === null || other === null;
  });
}

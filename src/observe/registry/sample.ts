import { type HttpViews, isMissing, type Probe } from '../../core/facts/facts.ts';
import { corsFault } from '../../core/http/cors.ts';
import { headerValue } from '../../core/http/headers.ts';
import { preflightFault } from '../../core/http/preflight.ts';
import { isAnswered, lastHop, originOf } from '../../core/http/probe.ts';

export type Methods = Pick<HttpViews, 'head' | 'preflight' | 'preflights'>;

/** Number of resources that are always requested; of the others one in `EVERY` is. */
const FIRST = 20;

const EVERY = 10;

/** The resources of one kind on the same hosts. */
interface Group {
  started: number;
  hasNoFindings: boolean;
  /** The requests for those that are always requested. */
  first: Promise<unknown>[];
}

/**
 * The response to methods other than GET is a setting of the host, and these requests are half of the total. If
 * the first resources of a kind respond well, only a sample of the others is requested; if one does not, all are.
 */
export class Sample {
  readonly #groups = new Map<string, Group>();

  /**
   * @param kind of the resource, artifacts apart from icons
   * @param server its plain GET
   * @param send sends HEAD and preflights for it
   * @returns what `send` resolves to; null if it was not called
   */
  async take<T extends { facts: Partial<Methods> }>(
    kind: string,
    server: Probe,
    send: () => Promise<T>,
  ): Promise<T | null> {
    const group = this.#groupOf(`${kind} ${server.hops.map((hop) => originOf(hop.url)).join(' ')}`);
    const number = group.started;
    group.started += 1;
    if (number >= FIRST) {
      await Promise.all(group.first);
      if (group.hasNoFindings && number % EVERY !== 0) return null;
    }
    const sent = send();
    if (number < FIRST) group.first.push(sent);
    const outcome = await sent;
    group.hasNoFindings &&= hasNoFindings(server, outcome.facts);
    return outcome;
  }

  #groupOf(key: string): Group {
    const group = this.#groups.get(key) ?? { started: 0, hasNoFindings: true, first: [] };
    this.#groups.set(key, group);
    return group;
  }
}

function hasNoFindings(server: Probe, { head, preflight, preflights = [] }: Partial<Methods>): boolean {
  if (
    head === undefined ||
    isMissing(head) ||
    !isAnswered(head) ||
    head.attempts > 1 ||
    !hasSameValidators(server, head)
  )
    return false;
  if (corsFault(head) !== null) return false;
  return [preflight, ...preflights].every((probe) =>
    probe === undefined || isMissing(probe)
      ? probe?.intentional === true
      : probe.attempts === 1 && preflightFault(probe, probe.requestedHeaders ?? []) === null,
  );
}

/** True if HEAD reports the same validator and length as GET. */
export function hasSameValidators(get: Probe, head: Probe): boolean {
  return ['content-length', 'etag', 'content-encoding'].every((name) => {
    const [ofGet = null, ofHead = null] = [get, head].map((probe) => headerValue(lastHop(probe)?.headers ?? [], name));
    return ofGet === ofHead || ofGet === null || ofHead === null;
  });
}

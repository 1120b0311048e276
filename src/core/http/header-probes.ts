import type { HeaderGroup, HeaderProbe, RepeatedProbe, Probe, HttpViews } from '../facts/facts.ts';
import { intermittentRefusal } from './repeated-probes.ts';
import { lastHop, statusOf } from './probe.ts';

/**
 * Which request headers cause browsers to get another response than a server-side client, derived from `headerProbes`.
 */

/**
 * `changed`: the file changed meanwhile. `intermittent`: both responses alternate, whatever is sent. `each-time`: every
 * response differs. `together`: only several groups of headers together cause it.
 */
export type Dependence =
  | { on: 'headers'; groups: readonly HeaderGroup[] }
  | { on: 'changed' | 'intermittent' | 'each-time' | 'together' };

/** The result of a response like the first one. */
export const SAME = 'same';

/** The result of a GET, for comparison; null if it says nothing about the host. */
function resultOf({ failure, hops, copy }: Probe): string | null {
  if (failure !== null)
    return failure.phase === 'not-sent' || failure.code === 'INTERRUPTED' ? null : `failure ${failure.code}`;
  const status = hops.at(-1)?.status ?? 0;
  // A range that cannot be served, and a limit, are not different responses.
  if (status === 408 || status === 416 || status === 429 || status === 503) return null;
  if (status < 200 || status > 299) return `status ${status}`;
  if (copy === undefined || (copy.same && (copy.fault === null || copy.fault === 'truncated'))) return SAME;
  return copy.fault ?? copy.decoded?.sha256 ?? 'nothing';
}

/** True if a browser got another response than the plain GET, which got a complete one. */
export function isOther(probe: Probe): boolean {
  const result = resultOf(probe);
  return result !== null && result !== SAME;
}

/**
 * Finds the headers on which the other response depends; null if no probes were sent, or if none got another response.
 * @param like the kind of request that it is about
 */
export function dependenceOf(
  { headerProbes: probes = [] }: Pick<HttpViews, 'headerProbes'>,
  like: HeaderProbe['like'] = 'fetch',
): Dependence | null {
  return dependenceBy(probes, like, resultOf);
}

/**
 * The same for a part of the responses.
 * @param result of a response: `SAME`, another text, or null if the response says nothing
 */
export function dependenceBy(
  probes: readonly HeaderProbe[],
  like: HeaderProbe['like'],
  result: (probe: Probe) => string | null,
): Dependence | null {
  const own = probes
    .filter((probe) => probe.like === like)
    .map(({ sent, round, probe }) => ({ sent, round, value: result(probe) }));
  const plain = valuesOf(own.filter(({ sent }) => sent.length === 0));
  const full = valuesOf(own.filter(({ sent }) => sent.length > 1));
  if (plain.length === 0 || full.length === 0 || own.every(({ value }) => value === null || value === SAME))
    return null;
  const isSteady = plain.every(isSame) && !full.some(isSame);
  if (isSteady) {
    const single = own.filter(({ sent, value }) => sent.length === 1 && value !== null && value !== SAME);
    const groups = single.flatMap(({ sent }) => sent);
    return groups.length > 0 ? { on: 'headers', groups } : { on: 'together' };
  }
  if (![...plain, ...full].some(isSame)) {
    const all = [...plain, ...full];
    return { on: all.length > 2 && new Set(all).size === all.length ? 'each-time' : 'changed' };
  }
  const late = valuesOf(own.filter(({ sent, round }) => round > 1 && sent.length !== 1));
  return { on: late.length > 0 && !late.some(isSame) ? 'changed' : 'intermittent' };
}

function valuesOf(probes: readonly { value: string | null }[]): string[] {
  return probes.map(({ value }) => value).filter((value) => value !== null);
}

/**
 * True if a second round is needed: if the first response still occurs, the file may have been replaced between two
 * requests of the first round.
 */
export function isUndecided(probes: readonly HeaderProbe[]): boolean {
  return probes.some(({ sent, probe }) => sent.length !== 1 && resultOf(probe) === SAME);
}

/** True if nothing contradicts that the host refuses because of the origin. */
export function mayDependOnOrigin(web: HttpViews): boolean {
  if (intermittentRefusal(web, 'browser') !== null) return false;
  const dependence = dependenceOf(web);
  if (dependence === null || dependence.on === 'together') return true;
  return dependence.on === 'headers' && dependence.groups.includes('origin');
}

/** True if two contents alternate, whatever is sent. */
export function doContentsAlternate(web: Pick<HttpViews, 'headerProbes'>): boolean {
  const { headerProbes: probes = [] } = web;
  const isIntermittent = dependenceOf(web)?.on === 'intermittent';
  return isIntermittent && probes.some(({ probe }) => isOther(probe) && !isRefusal(probe));
}

/** The statuses that alternated, whatever was sent; null if contents differ instead, or nothing did. */
export function alternatingStatuses(
  web: Pick<HttpViews, 'headerProbes'>,
  like: HeaderProbe['like'],
): Omit<RepeatedProbe, 'of'> | null {
  if (dependenceOf(web, like)?.on !== 'intermittent') return null;
  const own = (web.headerProbes ?? []).filter((probe) => probe.like === like);
  const others = own.filter(({ probe }) => isOther(probe));
  const [first] = others;
  if (first === undefined || !others.every(({ probe }) => isRefusal(probe))) return null;
  const url = lastHop(first.probe)?.url ?? '';
  const statuses = (which: (sent: readonly HeaderGroup[]) => boolean): number[] =>
    own.filter(({ sent }) => which(sent)).map(({ probe }) => (probe.failure === null ? statusOf(probe) : 0));
  return { url, plain: statuses((sent) => sent.length === 0), same: statuses((sent) => sent.length > 1) };
}

/** The first browser response that differs. */
export function otherAnswer(web: HttpViews): Probe | null {
  return web.browser.find(isOther) ?? null;
}

/**
 * The fault of a response that a later one, to the same request, did not repeat: a failure's code, a status, or
 * the other content or header.
 */
export function transientError({ failure, hops, copy }: Probe, otherHeaders: readonly string[]): string {
  const status = hops.at(-1)?.status ?? 0;
  if (failure !== null) return failure.code;
  if (status < 200 || status > 299) return `status ${status}`;
  if (copy?.decoded?.kind === 'html') return 'an HTML page';
  if (copy?.decoded?.bytes === 0) return 'no bytes';
  return copy === undefined && otherHeaders.length > 0 ? `another ${otherHeaders.join(', ')}` : 'other content';
}

/** True for a failed response: a status that is not 2xx, or an aborted connection. */
export function isRefusal(probe: Probe): boolean {
  return probe.failure !== null || statusOf(probe) >= 300;
}

function isSame(result: string): boolean {
  return result === SAME;
}

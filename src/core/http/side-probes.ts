import type { Conditional, SideProbe, Missing, Probe, HttpViews } from '../facts/facts.ts';
import { isMissing } from '../facts/facts.ts';
import { dependenceOf } from './header-probes.ts';
import { intermittentRefusal, isNeverAnswered, mayBeRepeated } from './repeated-probes.ts';
import { isTransportFailure, statusOf } from './probe.ts';
import { blockedBy, type MissingReason } from '../facts/missing.ts';

/**
 * The probes in addition to the plain GET, as rules need them: missing if nothing can be concluded from their outcome.
 */
export interface SideProbes {
  /** Null if it was not requested. */
  head: Probe | null;
  /** Those of a GET, one for each URL in the redirect chain; null if none was requested. */
  preflights: (Probe | null)[];
  headPreflight: Probe | null;
  /** Those that were not refused intermittently. */
  conditional: Conditional[];
  revalidation: NonNullable<HttpViews['revalidation']> | null;
  /** GET of an icon as a plain <img> sends it. */
  image: Probe | null;
}

/**
 * The requests beside the main one for a resource, each with the reason if it is missing.
 *
 * @param web the responses of a resource, or why they are missing: then the side probes are missing too
 */
export function sideProbes(web: HttpViews | Missing): { [K in keyof SideProbes]: SideProbes[K] | Missing } {
  if (isMissing(web))
    return { head: web, preflights: web, headPreflight: web, conditional: web, revalidation: web, image: web };
  if (hasNone(web)) return NONE;
  const conditional = web.conditional ?? [];
  const headPreflight = web.headPreflight ?? null;
  const preflights = [web.preflight, ...(web.preflights ?? [])];
  const sent = preflights.map((one) => (isMissing(one) ? null : one));
  const head = isMissing(web.head) ? null : web.head;
  return {
    head: notSent(web.head) ?? why(web, 'HEAD', [head]) ?? head,
    preflights: preflights.map(notSent).find((one) => one !== null) ?? why(web, 'preflight', sent) ?? sent,
    headPreflight: why(web, 'HEAD preflight', [headPreflight]) ?? headPreflight,
    conditional: conditionalOf(web, conditional),
    revalidation: revalidationOf(web),
    image: imageOf(web),
  };
}

function conditionalOf(web: HttpViews, conditional: Conditional[]): Conditional[] | Missing {
  const probes = conditional.map(({ probe }) => probe).filter((probe) => !isNeverAnswered(web, 'condition', probe));
  const failed = failure(NAMES.condition, probes);
  if (failed !== null) return failed;
  return intermittentRefusal(web, 'condition')
    ? conditional.filter(({ probe }) => !mayBeRepeated('condition', probe))
    : conditional;
}

function revalidationOf(web: HttpViews): SideProbes['revalidation'] | Missing {
  const { revalidation = null } = web;
  const failed = revalidation && failure(NAMES.condition, [revalidation.probe]);
  if (revalidation === null || failed === null) return revalidation;
  return isNeverAnswered(web, 'condition', revalidation.probe)
    ? { ...blockedBy('conditional-request-rejected'), intentional: true }
    : failed;
}

/**
 * The reason why a request was not sent although it should have been; null if it was, or was left out
 * intentionally.
 */
function notSent(fact: Probe | Missing): Missing | null {
  return isMissing(fact) && NOT_SENT.has(fact.missing.code) ? fact : null;
}

const NOT_SENT: ReadonlySet<string> = new Set<MissingReason['code']>(['host-failing', 'interrupted', 'machine-limit']);

/** Most artifacts: the responses of their host are probed only for the first one. */
const NONE = { head: null, preflights: [null], headPreflight: null, conditional: [], revalidation: null, image: null };

function hasNone({ head, preflight, preflights, headPreflight, conditional, revalidation, image }: HttpViews): boolean {
  const isLeftOut = notSent(head) === null && notSent(preflight) === null;
  const isGetAlone =
    isLeftOut && isMissing(head) && isMissing(preflight) && preflights === undefined && headPreflight === undefined;
  return isGetAlone && conditional === undefined && revalidation === undefined && image === undefined;
}

const NAMES: Readonly<Record<SideProbe | 'image', string>> = {
  HEAD: 'HEAD request',
  preflight: 'preflight (OPTIONS)',
  'HEAD preflight': 'preflight (OPTIONS) for HEAD',
  condition: 'conditional GET',
  range: 'GET with a Range',
  browser: 'GET with Origin',
  image: 'GET as an image',
};

/** The reason why nothing can be concluded, or null. */
function why(web: HttpViews, of: SideProbe, probes: readonly (Probe | null)[]): Missing | null {
  const failed = failure(
    NAMES[of],
    probes.filter((probe) => probe === null || !isNeverAnswered(web, of, probe)),
  );
  if (failed !== null) return failed;
  const isRefused = probes.some((probe) => probe !== null && mayBeRepeated(of, probe));
  return isRefused && intermittentRefusal(web, of) !== null
    ? { ...blockedBy('host-intermittent'), intentional: true }
    : null;
}

function failure(name: string, probes: readonly (Probe | null)[]): Missing | null {
  const failed = probes.find((probe) => probe !== null && isTransportFailure(probe));
  if (!failed) return null;
  const { attempts } = failed;
  const code = failed.failure?.code ?? `status ${statusOf(failed)}`;
  return { missing: { code: 'probe-failed', probe: name, attempts, failure: code } };
}

/** If probes show that the failure depends on the headers, the host closes the connection. */
function imageOf(web: HttpViews): Probe | null | Missing {
  const { image = null } = web;
  const { on } = dependenceOf(web, 'image') ?? {};
  return on === 'headers' || on === 'together' ? image : (failure(NAMES.image, [image]) ?? image);
}

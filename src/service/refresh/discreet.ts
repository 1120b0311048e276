import type { AppFacts, DocumentFacts, Failure, Resource, Visit, Web } from '../../core/facts.ts';
import { isUnseen } from '../../core/facts.ts';
import { NOT_REACHED } from '../../core/visit.ts';
import { kindOf } from './ip-address.ts';

/**
 * What a subscriber may learn: whether a name is unknown, an address is refused, nothing listens or nothing answers is
 * one and the same, or the service would tell anybody what is inside the operator's network.
 */

/** Told of each failure that is made unrecognizable, for the operator. */
export type Told = (failure: Failure) => void;

export function discreetDocument(facts: DocumentFacts, told: Told): DocumentFacts {
  return { ...facts, web: discreetWeb(facts.web, told) };
}

export function discreetApp(facts: AppFacts, told: Told): AppFacts {
  return {
    ...facts,
    metadata: discreetDocument(facts.metadata, told),
    icon: { ...facts.icon, web: discreetWeb(facts.icon.web, told) },
    artifacts: facts.artifacts.map((artifact) => ({ ...artifact, web: discreetWeb(artifact.web, told) })),
  };
}

function discreetWeb(web: Resource['web'], told: Told): Resource['web'] {
  if (isUnseen(web)) return web;
  const visit = (one: Visit): Visit => discreetVisit(one, told);
  const maybe = (one: Web['head']): Web['head'] => (isUnseen(one) ? one : visit(one));
  return {
    ...web,
    service: visit(web.service),
    browser: web.browser.map(visit),
    preflight: maybe(web.preflight),
    head: maybe(web.head),
    ...(web.preflights ? { preflights: web.preflights.map(maybe) } : {}),
    ...(web.conditional
      ? { conditional: web.conditional.map((asked) => ({ ...asked, visit: visit(asked.visit) })) }
      : {}),
    ...(web.headPreflight ? { headPreflight: visit(web.headPreflight) } : {}),
    ...(web.image ? { image: visit(web.image) } : {}),
    ...(web.gzip ? { gzip: visit(web.gzip) } : {}),
    ...(web.revalidation ? { revalidation: { ...web.revalidation, visit: visit(web.revalidation.visit) } } : {}),
    ...(web.probes ? { probes: web.probes.map((one) => ({ ...one, visit: visit(one.visit) })) } : {}),
  };
}

// What the URL itself tells: these are no secrets.
const OPEN = /^(INSECURE|PORT)_REFUSED$/;

function isPublic(address: string | null): boolean {
  return address !== null && kindOf(address) === 'public';
}

function discreetVisit(visit: Visit, told: Told): Visit {
  const { failure } = visit;
  const hops = visit.hops.map((hop) => {
    const vain = hop.vain?.filter(({ address }) => isPublic(address));
    return { ...hop, address: isPublic(hop.address) ? hop.address : null, ...(vain ? { vain } : {}) };
  });
  const unreached = failure !== null && ['dns', 'connect'].includes(failure.phase) && !OPEN.test(failure.code);
  if (!unreached) return { ...visit, hops };
  told(failure);
  const { troubles: _, ...rest } = visit;
  return {
    ...rest,
    // How often it was tried tells a refusal from a timeout.
    attempts: 1,
    waited: 0,
    hops: hops.map((hop) =>
      hop.status === 0 ? { url: hop.url, status: 0, headers: [], address: null, tls: null } : hop,
    ),
    failure: {
      phase: 'connect',
      code: NOT_REACHED,
      message: 'it could not be reached from the service',
      url: failure.url,
      got: null,
      expected: null,
    },
  };
}

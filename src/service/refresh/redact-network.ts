import type { AppFacts, DocumentFacts, Failure, Resource, Probe, HttpViews } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { NOT_REACHED } from '../../core/http/probe.ts';
import { kindOf } from './ip-address.ts';

/**
 * Limits what a subscriber may learn: an unknown name, a refused address, a closed port and a timeout all look the
 * same, or the service would reveal the operator's internal network.
 */

/** Called with each failure before it is anonymized, for the operator. */
export type NetworkFailure = (failure: Failure) => void;

export function redactNetworkOfDocument(facts: DocumentFacts, told: NetworkFailure): DocumentFacts {
  return { ...facts, web: discreetWeb(facts.web, told) };
}

export function redactNetworkOfApp(facts: AppFacts, told: NetworkFailure): AppFacts {
  return {
    ...facts,
    metadata: redactNetworkOfDocument(facts.metadata, told),
    icon: { ...facts.icon, web: discreetWeb(facts.icon.web, told) },
    artifacts: facts.artifacts.map((artifact) => ({ ...artifact, web: discreetWeb(artifact.web, told) })),
  };
}

function discreetWeb(web: Resource['web'], told: NetworkFailure): Resource['web'] {
  if (isMissing(web)) return web;
  const visit = (one: Probe): Probe => discreetVisit(one, told);
  const maybe = (one: HttpViews['head']): HttpViews['head'] => (isMissing(one) ? one : visit(one));
  return {
    ...web,
    server: visit(web.server),
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
    ...(web.headerProbes ? { headerProbes: web.headerProbes.map((one) => ({ ...one, visit: visit(one.visit) })) } : {}),
  };
}

// Evident from the URL itself, so not secret.
const OPEN = /^(INSECURE|PORT)_REFUSED$/;

function isPublic(address: string | null): boolean {
  return address !== null && kindOf(address) === 'public';
}

function discreetVisit(visit: Probe, told: NetworkFailure): Probe {
  const { failure } = visit;
  const hops = visit.hops.map((hop) => {
    const vain = hop.failedAddresses?.filter(({ address }) => isPublic(address));
    return { ...hop, address: isPublic(hop.address) ? hop.address : null, ...(vain ? { failedAddresses: vain } : {}) };
  });
  const unreached = failure !== null && ['dns', 'connect'].includes(failure.phase) && !OPEN.test(failure.code);
  if (!unreached) return { ...visit, hops };
  told(failure);
  const { retriedErrors: _, ...rest } = visit;
  return {
    ...rest,
    // The number of attempts would distinguish a refusal from a timeout.
    attempts: 1,
    retryAfterMs: 0,
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

import {
  type AppFacts,
  type DocumentFacts,
  type Failure,
  type HttpViews,
  isMissing,
  type Missing,
  NOT_REACHED,
  type Probe,
  type Resource,
} from 'appreg';
import { addressKind } from '../config/ip-address.ts';

/**
 * Limits what a subscriber may learn: an unknown name, a refused address, a closed port and a timeout all look the
 * same, or the service would reveal the operator's internal network.
 */

/** Called with each failure before it is anonymized, for the operator. */
type NetworkFailure = (failure: Failure) => void;

export function redactNetworkOfDocument(facts: DocumentFacts, report: NetworkFailure): DocumentFacts {
  return { ...facts, web: redactWeb(facts.web, report) };
}

export function redactNetworkOfApp(facts: AppFacts, report: NetworkFailure): AppFacts {
  return {
    ...facts,
    metadata: redactNetworkOfDocument(facts.metadata, report),
    icon: { ...facts.icon, web: redactWeb(facts.icon.web, report) },
    artifacts: facts.artifacts.map((artifact) => ({ ...artifact, web: redactWeb(artifact.web, report) })),
  };
}

function redactWeb(web: Resource['web'], report: NetworkFailure): Resource['web'] {
  if (isMissing(web)) return web;
  const redact = (probe: Probe): Probe => redactProbe(probe, report);
  const redactUnlessMissing = (probe: HttpViews['head']): HttpViews['head'] =>
    isMissing(probe) ? probe : redact(probe);
  return {
    ...web,
    server: redact(web.server),
    browser: web.browser.map(redact),
    preflight: redactUnlessMissing(web.preflight),
    head: redactUnlessMissing(web.head),
    ...(web.preflights && { preflights: web.preflights.map(redactUnlessMissing) }),
    ...(web.conditional && { conditional: web.conditional.map((one) => ({ ...one, probe: redact(one.probe) })) }),
    ...(web.headPreflight && { headPreflight: redact(web.headPreflight) }),
    ...(web.image && { image: redact(web.image) }),
    ...(web.gzip && { gzip: redact(web.gzip) }),
    ...(web.revalidation && { revalidation: { ...web.revalidation, probe: redact(web.revalidation.probe) } }),
    ...(web.headerProbes && { headerProbes: web.headerProbes.map((one) => ({ ...one, probe: redact(one.probe) })) }),
  };
}

// Not secret.
const EVIDENT_FROM_URL = /^(INSECURE|PORT)_REFUSED$/;

function isPublic(address: string | null): boolean {
  return address !== null && addressKind(address) === 'public';
}

function isUnreached({ phase, code }: Failure): boolean {
  return ['dns', 'connect'].includes(phase) && !EVIDENT_FROM_URL.test(code);
}

/**
 * Hides the network in the reason why a fact is missing.
 * @param failure of the request for it, or null
 * @returns `hidden`: the failure that it does not show, for the operator; null if there is none
 */
export function redactedMissing(given: Missing, failure: Failure | null): { shown: Missing; hidden: Failure | null } {
  const { missing } = given;
  if (missing.code !== 'probe-failed' || failure === null || !isUnreached(failure))
    return { shown: given, hidden: null };
  return { shown: { ...given, missing: { ...missing, attempts: 1, failure: NOT_REACHED } }, hidden: failure };
}

function redactProbe(probe: Probe, report: NetworkFailure): Probe {
  const { failure } = probe;
  const isHidden = failure !== null && isUnreached(failure);
  const hops = probe.hops.map((hop) => {
    const failedAddresses = hop.failedAddresses?.filter(({ address }) => isPublic(address));
    return { ...hop, address: isPublic(hop.address) ? hop.address : null, ...(failedAddresses && { failedAddresses }) };
  });
  if (!isHidden) return { ...probe, hops };
  report(failure);
  const { retriedErrors: _, ...rest } = probe;
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

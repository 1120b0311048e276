import type { AppFacts, DocumentFacts, Failure, HttpViews, Missing, Probe, Resource } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { NOT_REACHED } from '../../core/http/failed-request.ts';
import { addressKind } from '../ip-address.ts';
import type { SecretHeaders } from '../../observe/http/request.ts';
import { redactor } from '../../observe/http/redact.ts';
import { secretHeadersFor } from '../registries/credentials.ts';
import { credentialsOf } from '../registries/credentials-store.ts';
import { markUnauthorized, postponeRefresh } from './claim-store.ts';
import type { RefreshContext } from './plan.ts';
import type { RegistryRecord } from './records-store.ts';

/** What a refresh neither stores nor shows: the credentials that it sends, and the network of the service. */

/** The credentials that a refresh sends. */
export interface RequestCredentials {
  /** For the origin of the registry only; null if it has none. */
  secrets: SecretHeaders | null;
  /** Removes them from a text; null without credentials. */
  redact: ((text: string) => string) | null;
}

const NONE: RequestCredentials = { secrets: null, redact: null };

/** Milliseconds until a registry is tried again whose credentials another key has sealed: it may be on its way. */
const KEY_DELAY = 60_000;

/**
 * The credentials of a registry. Without the key that sealed them nothing is requested.
 * @returns null if they cannot be used: the refresh is postponed, and the operator finds the reason in the log
 */
export async function requestCredentials(
  context: RefreshContext,
  registry: RegistryRecord,
): Promise<RequestCredentials | null> {
  const { db, settings, log } = context;
  const { id, ownerId, url } = registry;
  if (ownerId === null) return NONE;
  const opened = await credentialsOf(db, settings.secretsKeys, { id, ownerId, url });
  if (opened === null) return NONE;
  if ('auth' in opened) {
    const secrets = secretHeadersFor(url, opened.auth);
    return { secrets, redact: redactor(secrets.headers.map(([, value]) => value)) };
  }
  if (opened.fault === 'unknown-key') {
    log('error', 'credentials-locked', {
      registry: id,
      remedy: 'Set SECRETS_KEY or SECRETS_KEY_OLD to the key that they were encrypted with.',
    });
    await postponeRefresh(db, id, KEY_DELAY);
  } else {
    log('error', 'credentials-damaged', { registry: id, remedy: 'The organization has to set the credentials again.' });
    const now = context.now();
    await markUnauthorized(db, registry, now, new Date(now.getTime() + settings.interval));
  }
  return null;
}

/** The value, or null if it contains the credentials: a host may echo them, and what is stored is read later. */
export function unlessSecret<Value>({ redact }: RequestCredentials, value: Value | null): Value | null {
  if (redact === null || value === null) return value;
  const text = JSON.stringify(value);
  return redact(text) === text ? value : null;
}

/** Whether bytes contain the credentials. */
export function containsSecret({ redact }: RequestCredentials, bytes: Uint8Array): boolean {
  if (redact === null) return false;
  const text = Buffer.from(bytes).toString('latin1');
  return redact(text) !== text;
}

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
 * Why a fact is missing.
 * @param failure of the request for it, or null
 */
export function redactedMissing(given: Missing, failure: Failure | null, report: NetworkFailure): Missing {
  const { missing } = given;
  if (missing.code !== 'probe-failed' || failure === null || !isUnreached(failure)) return given;
  report(failure);
  return { ...given, missing: { ...missing, attempts: 1, failure: NOT_REACHED } };
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

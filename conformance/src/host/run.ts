import { message } from 'appreg';
import type { ProxyFor } from 'appreg/node';
import type { LookupFunction } from 'node:net';
import type { HostCase } from '../case/case.ts';
import { failed, harnessError, notRun, observeAll, passed, type Observation } from '../result.ts';
import { problemOf } from './checks.ts';
import { testConnection } from './connection.ts';
import { observedOf, type Responses } from './describe.ts';
import { type Clients, isRaw, type MissingHeader, openClients, sendRequests } from './send.ts';
import { folderUrl, type HostTarget, plainPortOf } from './raw.ts';

export interface HostRun {
  /** Where the tree of `conformance fixtures` was uploaded: the URL of its folder, or of the manifest in it. */
  url: string;
  /** PEM text of additional trusted authorities, or null. */
  ca?: string | null;
  /** PEM text of NODE_EXTRA_CA_CERTS, or null. */
  machineCa?: string | null;
  /** The proxy for a URL. Default: none. */
  proxyFor?: ProxyFor;
  /** Resolves names instead of the system resolver. */
  lookup?: LookupFunction | null;
  /** The port of plain HTTP; by default 80 if the URL has the default port. */
  plainPort?: number;
}

/** Cases that are run at once. */
const CONCURRENT = 4;

/** The reason why no case can be run as usual: a fault before the first response, or a refused TLS connection. */
interface FirstRequest {
  /** The host cannot be reached: a fault of the harness or of its network. */
  unreachable: string | null;
  /** The code of the failure in TLS. */
  tls: string | null;
}

/**
 * Runs the cases of a host. Cases that send many requests at once, and those that might change files, are run last, one
 * by one.
 * @throws AppregError `url-invalid` for a URL that cannot be requested
 */
export async function runHostCases(cases: readonly HostCase[], run: HostRun): Promise<Observation[]> {
  const base = folderUrl(run.url);
  const target: HostTarget = {
    base,
    ca: run.ca ?? null,
    machineCa: run.machineCa ?? null,
    proxyFor: run.proxyFor ?? (() => null),
    lookup: run.lookup ?? null,
    plainPort: run.plainPort ?? plainPortOf(base),
  };
  const clients = openClients(target);
  try {
    const first = await requestFirst(target, clients);
    const alone = cases.filter(isAlone);
    const together = cases.filter((one) => !isAlone(one));
    const observe = (one: HostCase): Promise<Observation> => observeHost(one, { target, clients, first });
    return [...(await observeAll(together, CONCURRENT, observe)), ...(await observeAll(alone, 1, observe))];
  } finally {
    await clients.close();
  }
}

function isAlone({ script }: HostCase): boolean {
  return (script.requests ?? []).some(
    ({ times = 1, method = 'GET' }) => times > 1 || !['GET', 'HEAD', 'OPTIONS'].includes(method),
  );
}

async function requestFirst(target: HostTarget, clients: Clients): Promise<FirstRequest> {
  const sent = await sendRequests([{ as: 'first', path: 'registry.json' }], target, clients);
  const failure = 'missing' in sent ? null : (sent.get('first')?.[0]?.probe.failure ?? null);
  if (failure?.phase === 'tls') return { unreachable: null, tls: failure.code };
  const isUnreachable = failure !== null && UNREACHED.has(failure.phase);
  return { unreachable: isUnreachable ? failure.code : null, tls: null };
}

/** The phases of a request in which the host did not respond. */
const UNREACHED: ReadonlySet<string> = new Set(['not-sent', 'url', 'proxy', 'dns', 'connect', 'time']);

/** Common inputs of the cases of a run. */
interface Shared {
  target: HostTarget;
  clients: Clients;
  first: FirstRequest;
}

async function observeHost({ id, script, expect }: HostCase, { target, clients, first }: Shared): Promise<Observation> {
  if (first.unreachable !== null)
    return harnessError(id, message`The host cannot be reached (${first.unreachable}). Check the URL and the network.`);
  if (script.connection !== undefined) return testConnection(id, script.connection, target, first.tls);
  if (first.tls !== null) return notRun(id, message`The TLS connection fails: ${first.tls}.`);
  const requests = script.requests ?? [];
  if (requests.some(isRaw) && target.proxyFor(target.base) !== null)
    return notRun(id, message`The requests use a proxy, which may change what is sent.`);
  let responses = await sendRequests(requests, target, clients);
  // Requests of other cases failed, so that the client did not send this one.
  if (notSentIn(responses) !== null) responses = await sendRequests(requests, target, clients);
  const notSent = notSentIn(responses);
  if (notSent !== null) return harnessError(id, message`This machine could not send a request (${notSent}).`);
  if ('missing' in responses)
    return notRun(id, message`The host sends no ${responses.missing}, which this request needs.`);
  const observed = message`${observedOf(responses, expect)}`;
  for (const check of expect) {
    const problem = check.check === 'connection' ? null : problemOf(check, responses);
    if (problem !== null) return failed(id, problem, observed);
  }
  return passed(id, observed);
}

/** The code of a request that was not sent, or null. */
function notSentIn(responses: Responses | MissingHeader): string | null {
  if ('missing' in responses) return null;
  const failures = [...responses.values()].flat().map(({ probe }) => probe.failure);
  return failures.find((failure) => failure?.phase === 'not-sent')?.code ?? null;
}

import { lookup as lookUp, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressFailure } from '../../core/facts/facts.ts';
import { isMachineLimit } from '../../core/errors/machine-limit.ts';
import { ConnectFailure } from './failure.ts';
import { type ConnectOptions, type Endpoint, type OpenSocket, openSocket } from './open-socket.ts';

/**
 * The addresses of a name. Each is connected to once, and those that answer are used from then on: one faulty address
 * is one fact about the host, the same in every run, and the others are still observed.
 */
export interface Addresses {
  /** Connects to an address that answers; `failedAddresses` lists the others. Rejects with ConnectFailure. */
  open(endpoint: Endpoint, options: ConnectOptions, until: number, closing: AbortSignal): Promise<OpenSocket>;
}

/** Maximum number of addresses tried; a name with more is a large network, where one of them means little. */
const MAX_TRIED = 8;
/** Milliseconds for an address to answer if another one does. */
const ANSWER_TIME = 4000;

/** Which addresses of a name answer. */
interface Survey {
  /** Null if the name has one address or could not be resolved. */
  good: LookupAddress[] | null;
  bad: AddressFailure[];
}

export function openAddresses(): Addresses {
  const surveys = new Map<string, Promise<Survey>>();
  return {
    async open(endpoint, options, until, closing) {
      // With a guard, each connection resolves the name and is decided on separately.
      if (isIP(endpoint.host) !== 0 || options.guard !== null) return openSocket(endpoint, options, until, closing);
      const key = `${endpoint.secure} ${endpoint.host} ${endpoint.port}`;
      let opened: OpenSocket | null = null;
      let survey = surveys.get(key);
      if (survey === undefined) {
        const surveying = surveyAddresses(endpoint, options, closing);
        survey = surveying.then(
          ({ good, bad }) => {
            // If all addresses failed, they may recover.
            if (good?.length === 0) surveys.delete(key);
            return { good, bad };
          },
          (error: unknown) => {
            surveys.delete(key);
            throw error;
          },
        );
        // Awaited below; until then a rejection must not count as unhandled.
        survey.catch(() => {});
        surveys.set(key, survey);
        ({ opened } = await surveying);
      }
      const { good, bad } = await survey;
      if (opened !== null) return opened;
      if (good === null || good.length === 0) return openSocket(endpoint, options, until, closing);
      const next = await openSocket(endpoint, { ...options, lookup: lookupOf(good) }, until, closing);
      return { ...next, failedAddresses: [...bad, ...next.failedAddresses] };
    },
  };
}

/** Connects to all addresses of a name at once, and keeps the first connection in the order of the name's addresses. */
async function surveyAddresses(
  endpoint: Endpoint,
  options: ConnectOptions,
  closing: AbortSignal,
): Promise<Survey & { opened: OpenSocket | null }> {
  const addresses = await addressesOf(endpoint.host, options.lookup);
  if (addresses.length < 2) return { good: null, bad: [], opened: null };
  const timeout = Math.min(options.timeout, ANSWER_TIME);
  const tried = await Promise.allSettled(
    addresses
      .slice(0, MAX_TRIED)
      .map((address) =>
        openSocket(endpoint, { ...options, timeout, lookup: lookupOf([address]) }, Date.now() + timeout, closing),
      ),
  );
  const limit = tried.find((outcome) => outcome.status === 'rejected' && isLimited(outcome.reason));
  if (limit?.status === 'rejected') {
    for (const outcome of tried)
      if (outcome.status === 'fulfilled') outcome.value.socket.on('error', () => {}).destroy();
    throw limit.reason;
  }
  const good: LookupAddress[] = [];
  const bad: AddressFailure[] = [];
  let opened: OpenSocket | null = null;
  for (const [i, address] of addresses.entries()) {
    const outcome = tried[i];
    if (outcome?.status === 'rejected') {
      bad.push(addressFailure(address.address, outcome.reason));
      continue;
    }
    good.push(address);
    if (!outcome) continue;
    if (opened === null) opened = outcome.value;
    else outcome.value.socket.on('error', () => {}).destroy();
  }
  bad.sort((a, b) => (a.address < b.address ? -1 : 1));
  return { good, bad, opened: opened && { ...opened, failedAddresses: bad } };
}

/** True if this machine could not connect, which says nothing about the address. */
function isLimited(reason: unknown): boolean {
  return reason instanceof ConnectFailure && isMachineLimit(reason.code);
}

/** @throws any error that is not a connection failure: a bug */
function addressFailure(address: string, reason: unknown): AddressFailure {
  if (!(reason instanceof ConnectFailure)) throw reason;
  const { phase, code, message, tls } = reason;
  if (phase !== 'tls') return { address, code: code === 'CONNECT_TIMEOUT' ? 'ETIMEDOUT' : code };
  return { address, code, phase, message, ...(tls ? { tls } : {}) };
}

/** All addresses of a name; none if it cannot be resolved, which the connection itself will report. */
export function addressesOf(host: string, lookup: LookupFunction | null): Promise<LookupAddress[]> {
  return new Promise((resolve) => {
    const resolveName: LookupFunction = lookup ?? lookUp;
    resolveName(host, { all: true }, (error, found, family) => {
      if (error) return resolve([]);
      const all = typeof found === 'string' ? [{ address: found, family: family ?? 4 }] : found;
      resolve(all.filter(({ address }, i) => all.findIndex((other) => other.address === address) === i));
    });
  });
}

function lookupOf(addresses: readonly LookupAddress[]): LookupFunction {
  return (_, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0]?.address ?? '', addresses[0]?.family ?? 4);
  };
}

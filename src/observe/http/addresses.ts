import { lookup as lookUp, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressFailure } from '../../core/facts/facts.ts';
import { ConnectFailure, type ConnectOptions, dial, type Dialled, type Place } from './dial.ts';
import { openReusedReadBuffer, type ReusedReadBuffer } from './read-buffer.ts';

/**
 * The addresses of a name. Each is connected to once, and those that answer are used from then on: one faulty address
 * is one fact about the host, the same in every run, and the others are still observed.
 */
export interface Addresses {
  /** Connects to an address that answers; `vain` of the result lists the others. Rejects with ConnectFailure. */
  open(place: Place, options: ConnectOptions, until: number, closing: AbortSignal): Promise<Opened>;
}

interface Opened extends Dialled {
  reading: ReusedReadBuffer;
}

/** Maximum number of addresses tried; a name with more is a large network, where one of them means little. */
const TRIED = 8;
/** Milliseconds for an address to answer if another one does. */
const ANSWER_TIME = 4000;

interface Survey {
  /** Null if the name has one address or could not be resolved. */
  good: LookupAddress[] | null;
  bad: AddressFailure[];
}

export function openAddresses(): Addresses {
  const surveys = new Map<string, Promise<Survey>>();
  return {
    async open(place, options, until, closing) {
      // With a guard, each connection resolves the name and is decided on separately.
      if (isIP(place.host) !== 0 || options.guard !== null) return plainly(place, options, until, closing);
      const key = `${place.secure} ${place.host} ${place.port}`;
      let first: Opened | null = null;
      let survey = surveys.get(key);
      if (survey === undefined) {
        survey = look(place, options, closing).then(({ opened, ...seen }) => {
          first = opened;
          // If all addresses failed, they may recover.
          if (seen.good?.length === 0) surveys.delete(key);
          return seen;
        });
        surveys.set(key, survey);
      }
      const { good, bad } = await survey;
      if (first !== null) return first;
      if (good === null || good.length === 0) return plainly(place, options, until, closing);
      const opened = await plainly(place, { ...options, lookup: lookupOf(good) }, until, closing);
      return { ...opened, vain: [...bad, ...opened.vain] };
    },
  };
}

async function plainly(place: Place, options: ConnectOptions, until: number, closing: AbortSignal): Promise<Opened> {
  const reading = openReusedReadBuffer();
  return { ...(await dial({ ...place, reading }, options, until, closing)), reading };
}

/** Connects to all addresses of a name at once, and keeps the first connection in the order of the name's addresses. */
async function look(
  place: Place,
  options: ConnectOptions,
  closing: AbortSignal,
): Promise<Survey & { opened: Opened | null }> {
  const all = await addressesOf(place.host, options.lookup);
  if (all.length < 2) return { good: null, bad: [], opened: null };
  const timeout = Math.min(options.timeout, ANSWER_TIME);
  const tried = await Promise.allSettled(
    all
      .slice(0, TRIED)
      .map((one) => plainly(place, { ...options, timeout, lookup: lookupOf([one]) }, Date.now() + timeout, closing)),
  );
  const good: LookupAddress[] = [];
  const bad: AddressFailure[] = [];
  let opened: Opened | null = null;
  for (const [i, one] of all.entries()) {
    const outcome = tried[i];
    if (outcome?.status === 'rejected') {
      bad.push(failed(one.address, outcome.reason));
      continue;
    }
    good.push(one);
    if (!outcome) continue;
    if (opened === null) opened = outcome.value;
    else outcome.value.socket.on('error', () => {}).destroy();
  }
  bad.sort((a, b) => (a.address < b.address ? -1 : 1));
  return { good, bad, opened: opened && { ...opened, vain: bad } };
}

/** @throws any error that is not a connection failure: a bug */
function failed(address: string, reason: unknown): AddressFailure {
  if (!(reason instanceof ConnectFailure)) throw reason;
  const { phase, code, message, tls } = reason;
  if (phase !== 'tls') return { address, code: code === 'CONNECT_TIMEOUT' ? 'ETIMEDOUT' : code };
  return { address, code, phase, message, ...(tls ? { tls } : {}) };
}

/** All addresses of a name; none if it cannot be resolved, which the connection itself will report. */
function addressesOf(host: string, lookup: LookupFunction | null): Promise<LookupAddress[]> {
  return new Promise((resolve) => {
    const ask: LookupFunction = lookup ?? lookUp;
    ask(host, { all: true }, (error, found, family) => {
      if (error) return resolve([]);
      const all = typeof found === 'string' ? [{ address: found, family: family ?? 4 }] : found;
      resolve(all.filter(({ address }, i) => all.findIndex((one) => one.address === address) === i));
    });
  });
}

function lookupOf(addresses: readonly LookupAddress[]): LookupFunction {
  return (_, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0]?.address ?? '', addresses[0]?.family ?? 4);
  };
}

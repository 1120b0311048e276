import type { AddressAnswer, AddressFacts, AddressSample, Probe } from '../facts/facts.ts';
import { corsFault } from './cors.ts';
import { isAnswered, lastHop, statusOf } from './probe.ts';

/** True if the addresses of a host answer alike. */

/** Addresses that answer unlike others, in one respect. */
export interface AddressDifference {
  of: 'connection' | 'status' | 'content' | 'cors';
  differing: AddressAnswer[];
  /** The answer of most of the addresses, of those that serve the file. */
  reference: AddressAnswer[];
}

/** A machine without a route for an address family reports it itself, which says nothing about the host. */
const LOCAL = /^(ENETUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT)$/;
/** Codes of a connection that got no answer: without a route, they are the fault of the network of this machine. */
const SILENT = /^(ETIMEDOUT|CONNECT_TIMEOUT|EHOSTUNREACH)$/;

/** The addresses that this machine has no route to. */
export function unroutableAddresses({ answers, families }: AddressFacts): string[] {
  return answers.filter((answer) => isUnroutable(answer, families)).map(({ address }) => address);
}

function isUnroutable({ address, samples }: AddressAnswer, families: AddressFacts['families']): boolean {
  const code = samples.at(-1)?.server.failure?.code ?? '';
  if (LOCAL.test(code)) return true;
  const isPublicIpv6 = /^[23][0-9a-f]{3}:/i.test(address);
  return SILENT.test(code) && isPublicIpv6 && !families.includes(6);
}

/** True if one more sample is needed to know whether a difference depends on the address. */
export function hasAddressDifferences(facts: AddressFacts): boolean {
  return addressDifferences(facts).length > 0;
}

/** In which respects addresses differ, each time that they were requested. */
export function addressDifferences(facts: AddressFacts): AddressDifference[] {
  const routable = facts.answers.filter((answer) => !isUnroutable(answer, facts.families));
  const serving = routable.filter(({ samples }) => samples.every(({ server }) => isAnswered(server)));
  const differences: AddressDifference[] = [];
  const add = (of: AddressDifference['of'], differing: AddressAnswer[], reference: AddressAnswer[]): void => {
    if (differing.length > 0 && reference.length > 0) differences.push({ of, differing, reference });
  };
  const inAllSamples = (is: (sample: AddressSample) => boolean) => routable.filter(({ samples }) => samples.every(is));
  add('connection', inAllSamples(isBroken), serving);
  add('status', inAllSamples(isRefused), serving);
  const contents = steadyContents(serving);
  const [reference, ...others] = contents.toSorted((one, other) => other.length - one.length);
  if (reference !== undefined) add('content', others.flat(), reference);
  const [refusing, allowing] = [serving.filter(refusesBrowsers), serving.filter(allowsBrowsers)];
  add('cors', refusing, allowing);
  return differences;
}

/** No complete response, for a reason that is not an interruption of the run. */
function isBroken({ server: { failure } }: AddressSample): boolean {
  return failure !== null && failure.phase !== 'not-sent' && failure.code !== 'INTERRUPTED';
}

/** A response that is not the file. A limit of requests (429) may be the fault of the run itself. */
function isRefused({ server }: AddressSample): boolean {
  return server.failure === null && !isAnswered(server) && statusOf(server) !== 429;
}

/** The addresses by their content; those that serve other content each time depend on the time, and are left out. */
function steadyContents(serving: readonly AddressAnswer[]): AddressAnswer[][] {
  const groups = new Map<string, AddressAnswer[]>();
  for (const answer of serving) {
    const [digest, ...more] = new Set(answer.samples.map(({ content }) => content?.sha256 ?? ''));
    if (digest === undefined || digest === '' || more.length > 0) continue;
    groups.set(digest, [...(groups.get(digest) ?? []), answer]);
  }
  return [...groups.values()];
}

function refusesBrowsers({ samples }: AddressAnswer): boolean {
  return samples.every(({ browser }) => browser !== null && browser.failure === null && !isReadable(browser));
}

function allowsBrowsers({ samples }: AddressAnswer): boolean {
  return samples.every(({ browser }) => browser !== null && isReadable(browser));
}

/** True if a page of another origin can read the response. A range may be out of an empty file. */
function isReadable(browser: Probe): boolean {
  const status = statusOf(browser);
  return (isAnswered(browser) || status === 416) && corsFault(browser) === null;
}

/** The last response of an address, or its failure. */
export function lastSample({ samples }: AddressAnswer): AddressSample {
  const sample = samples.at(-1);
  if (sample === undefined) throw new Error('An address has at least one sample.');
  return sample;
}

/** The hop in which an address answered; null without a response. */
export function hopOfAnswer(answer: AddressAnswer): Probe['hops'][number] | null {
  return lastHop(lastSample(answer).server);
}

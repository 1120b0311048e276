import type { AddressAnswer, AddressFacts, AddressSample, Probe, SampleContent } from '../facts/facts.ts';
import { freshness, HOUR } from './cache.ts';
import { corsFault } from './cors.ts';
import { headerValue, mediaType } from './headers.ts';
import { isAnswered, lastHop, statusOf } from './probe.ts';

/** True if the addresses of a host answer alike. */

/** Addresses that answer unlike others, in one respect. */
export interface AddressDifference {
  of: 'connection' | 'status' | 'content' | 'copy' | 'cors' | 'type' | 'corp' | 'cache';
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
  const content = divided(serving, ({ content }) => content?.sha256 ?? null);
  add('content', content.differing, content.reference);
  const [refusing, allowing] = [serving.filter(refusesBrowsers), serving.filter(allowsBrowsers)];
  add('cors', refusing, allowing);
  // Of those that serve the same file: with another one, its compressed copy is another one, too.
  const alike = content.differing.length === 0 ? serving : content.reference;
  for (const [of, valueOf] of COMPARED) {
    const { differing, reference } = divided(alike, valueOf);
    add(of, differing, reference);
  }
  return differences;
}

/** The further respects in which responses are compared, by what they come to; null if that is not known. */
const COMPARED: readonly (readonly ['copy' | 'type' | 'corp' | 'cache', (sample: AddressSample) => string | null])[] = [
  ['copy', copiesOf],
  ['type', typesOf],
  ['corp', embeddingOf],
  ['cache', cachingOf],
];

/** The bodies that browsers, and clients that accept only gzip, decode. */
function copiesOf({ browser, browserContent, gzipContent }: AddressSample): string | null {
  if (browser === null || !isAnswered(browser) || browserContent === undefined) return null;
  const own = digestOf(browserContent);
  return [own, gzipContent === undefined ? own : digestOf(gzipContent)].join(' ');
}

function digestOf(content: SampleContent | null): string {
  return content === null ? 'unreadable' : content.sha256;
}

/** The media types that a server-side client and a browser get, without parameters. */
export function typesOf({ server, browser }: AddressSample): string | null {
  const own = typeOf(server);
  const other = browser === null || !isAnswered(browser) ? own : typeOf(browser);
  if (own === null || other === null) return null;
  return own === other ? own : `${own}, and ${other} for browsers`;
}

function typeOf(probe: Probe): string | null {
  const hop = lastHop(probe);
  if (hop === null) return null;
  const type = mediaType(hop.headers);
  return type === null ? 'no type' : type.type;
}

/** The pages that may embed the file, as far as Cross-Origin-Resource-Policy keeps others from it. */
export function embeddingOf({ browser }: AddressSample): string | null {
  const hop = browser === null || !isAnswered(browser) ? null : lastHop(browser);
  if (hop === null) return null;
  const policy = headerValue(hop.headers, 'cross-origin-resource-policy')?.trim() ?? '';
  return policy === 'same-origin' || policy === 'same-site' ? policy : 'every page';
}

/** Says whether caches may hold the file for longer than the hourly check: exact lifetimes decrease in caches. */
function cachingOf({ server, browser }: AddressSample): string | null {
  const own = lifetimeOf(server);
  const other = browser === null || !isAnswered(browser) ? own : lifetimeOf(browser);
  return own === null || other === null ? null : `${own} ${other}`;
}

function lifetimeOf(probe: Probe): 'none' | 'short' | 'long' | null {
  const hop = lastHop(probe);
  if (hop === null) return null;
  const { lifetime, immutable } = freshness(hop, 0);
  if (lifetime === null) return 'none';
  return immutable || lifetime > HOUR ? 'long' : 'short';
}

/**
 * The addresses by a value of their responses: those with that of most of them, and the others. Those whose value is
 * another one each time depend on the time, and are left out.
 */
function divided(
  serving: readonly AddressAnswer[],
  valueOf: (sample: AddressSample) => string | null,
): Pick<AddressDifference, 'differing' | 'reference'> {
  const groups = new Map<string, AddressAnswer[]>();
  for (const answer of serving) {
    const [value = null, ...more] = new Set(answer.samples.map(valueOf));
    if (value === null || more.length > 0) continue;
    groups.set(value, [...(groups.get(value) ?? []), answer]);
  }
  const [reference = [], ...others] = [...groups.values()].toSorted((one, other) => other.length - one.length);
  return { differing: others.flat(), reference };
}

/** No complete response, for a reason that is not an interruption of the run. */
function isBroken({ server: { failure } }: AddressSample): boolean {
  return failure !== null && failure.phase !== 'not-sent' && failure.code !== 'INTERRUPTED';
}

/** A response that is not the file. A limit of requests (429) may be the fault of the run itself. */
function isRefused({ server }: AddressSample): boolean {
  return server.failure === null && !isAnswered(server) && statusOf(server) !== 429;
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

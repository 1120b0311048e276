import { message } from '../../../text/message.ts';
import type { AddressAnswer, AddressFacts, AddressFailure, ResourceKind } from '../../../facts/facts.ts';
import { type AddressDifference, hopOfAnswer, lastSample } from '../../../http/address-comparison.ts';
import { corsFault } from '../../../http/cors.ts';
import { header } from '../../../http/headers.ts';
import { hostnameOf, hostOf, statusOf } from '../../../http/probe.ts';
import type { Evidence } from '../../../engine/report.ts';
import type { Problem } from '../../rule.ts';
import type { Cause } from './causes.ts';
import { resourceName } from '../../../facts/resource-kind.ts';
import { handshakeProblem } from './handshake.ts';

/** A difference that was found by requesting each address. */
export function differenceProblems(
  resource: ResourceKind,
  facts: AddressFacts,
  { of, differing, reference }: AddressDifference,
  now: string,
): Problem<Cause>[] {
  switch (of) {
    case 'connection':
      return brokenAddresses(resource, facts, differing, reference, now);
    case 'status':
      return [otherStatus(resource, facts, differing, reference)];
    case 'content':
      return [otherContent(resource, facts, differing, reference)];
    case 'cors':
      return [withoutCors(resource, facts, differing, reference)];
  }
}

function brokenAddresses(
  resource: ResourceKind,
  { url }: AddressFacts,
  differing: readonly AddressAnswer[],
  reference: readonly AddressAnswer[],
  now: string,
): Problem<Cause>[] {
  const problems: Problem<Cause>[] = [];
  const [first, ...more] = differing.flatMap((answer) => handshakeFailure(answer) ?? []);
  const hop = hopOfAnswer(reference[0] ?? differing[0]!);
  if (first && hop) problems.push(handshakeProblem({ ...hop, url }, first, more, now));
  const silent = differing.filter((answer) => handshakeFailure(answer) === null);
  // The local machine's own names are not in public DNS.
  if (silent.length === 0 || /(^|\.)localhost$/.test(hostnameOf(url))) return problems;
  const list = silent.map((answer) => `${answer.address} (${codeOf(answer)})`).join(', ');
  return [
    ...problems,
    {
      cause: 'unreachable',
      message: message`${hostnameOf(url)} has several addresses, and not all of them serve the ${resourceName(resource)}: no complete response from ${list}, only from ${namesOf(reference)}.`,
      advice: message`Start the server there, or remove the A or AAAA records of addresses without a server.`,
      evidence: evidenceOf(url, silent, reference, codeOf),
      dedupeKey: `unreachable ${hostOf(url)}`,
    },
  ];
}

/** A failed TLS handshake; null for another failure. */
function handshakeFailure(answer: AddressAnswer): AddressFailure | null {
  const { failure } = lastSample(answer).server;
  if (failure === null || failure.phase !== 'tls') return null;
  const tls = hopOfAnswer(answer)?.tls ?? null;
  const { code, message } = failure;
  return { address: answer.address, code, phase: 'tls', message, ...(tls === null ? {} : { tls }) };
}

function otherStatus(
  resource: ResourceKind,
  { url }: AddressFacts,
  differing: readonly AddressAnswer[],
  reference: readonly AddressAnswer[],
): Problem<Cause> {
  const list = differing.map((answer) => `${answer.address} responds with ${serverStatus(answer)}`).join(', ');
  return {
    cause: 'status',
    message: message`${hostnameOf(url)} has several addresses, and not all of them serve the ${resourceName(resource)}: ${list}, but ${namesOf(reference)} with ${statusesOf(reference)}.`,
    advice: message`Deploy the same files and the same configuration to all servers, or remove the address from DNS.`,
    evidence: evidenceOf(url, differing, reference, serverStatus),
    dedupeKey: `status ${hostOf(url)}`,
  };
}

function otherContent(
  resource: ResourceKind,
  { url }: AddressFacts,
  differing: readonly AddressAnswer[],
  reference: readonly AddressAnswer[],
): Problem<Cause> {
  const others = differing.map((answer) => `${answer.address} (${contentOf(answer)})`).join(', ');
  const same = reference[0] ? contentOf(reference[0]) : '';
  return {
    cause: 'content',
    message: message`${hostnameOf(url)} has several addresses, and they serve different content for the ${resourceName(resource)}: ${namesOf(reference)} (${same}), ${others}.`,
    advice: message`Deploy the same files to all servers, and purge their caches. If a new file is still being distributed, check again when that has finished.`,
    evidence: evidenceOf(url, differing, reference, (answer) => lastSample(answer).content?.sha256 ?? ''),
    dedupeKey: `content ${hostOf(url)}`,
  };
}

function withoutCors(
  resource: ResourceKind,
  { url }: AddressFacts,
  differing: readonly AddressAnswer[],
  reference: readonly AddressAnswer[],
): Problem<Cause> {
  const list = differing.map((answer) => `${answer.address} (${browserAnswer(answer)})`).join(', ');
  return {
    cause: 'cors',
    message: message`${hostnameOf(url)} has several addresses, and not all of them let pages of other origins read the ${resourceName(resource)}: ${list} ${differing.length === 1 ? 'does' : 'do'} not, ${namesOf(reference)} ${reference.length === 1 ? 'does' : 'do'}.`,
    advice: message`Send the same CORS headers from all servers.`,
    evidence: evidenceOf(url, differing, reference, browserAnswer),
    dedupeKey: `cors ${hostOf(url)}`,
  };
}

function serverStatus(answer: AddressAnswer): string {
  return String(statusOf(lastSample(answer).server));
}

/** Each status once. */
function statusesOf(answers: readonly AddressAnswer[]): string {
  return [...new Set(answers.map(serverStatus))].join(' or ');
}

function codeOf(answer: AddressAnswer): string {
  return lastSample(answer).server.failure?.code ?? '';
}

function contentOf(answer: AddressAnswer): string {
  const { content } = lastSample(answer);
  const changed = header(hopOfAnswer(answer)?.headers ?? [], 'last-modified');
  const parts = [`${content?.bytes ?? 0} bytes`, `SHA-256 ${(content?.sha256 ?? '').slice(0, 12)}…`];
  return [...parts, ...(changed === null ? [] : [`Last-Modified ${changed}`])].join(', ');
}

/** Why a page cannot read the response. */
function browserAnswer(answer: AddressAnswer): string {
  const { browser } = lastSample(answer);
  if (browser === null) return 'no response';
  const fault = corsFault(browser);
  if (fault === null) return `status ${statusOf(browser)}`;
  return fault.value === null ? 'no Access-Control-Allow-Origin' : `Access-Control-Allow-Origin: ${fault.value}`;
}

function namesOf(answers: readonly AddressAnswer[]): string {
  const shown = answers.slice(0, 3).map(({ address }) => address);
  const more = answers.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

function evidenceOf(
  url: string,
  differing: readonly AddressAnswer[],
  reference: readonly AddressAnswer[],
  value: (answer: AddressAnswer) => string,
): Evidence {
  return {
    host: hostOf(url),
    requested: url,
    address: namesOf(reference),
    differing: differing.map((answer) => `${answer.address} ${value(answer)}`),
  };
}

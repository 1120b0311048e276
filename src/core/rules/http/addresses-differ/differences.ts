import type { Evidence } from '../../../values/evidence.ts';
import type {
  AddressAnswer,
  AddressFacts,
  AddressFailure,
  Failure,
  Hop,
  Probe,
  ResourceKind,
} from '../../../facts/facts.ts';
import { resourceName } from '../../../facts/resource-kind.ts';
import {
  type AddressDifference,
  embeddingOf,
  hopOfAnswer,
  lastSample,
  typesOf,
} from '../../../http/address-comparison.ts';
import { corsFault } from '../../../http/cors.ts';
import { headerValue } from '../../../http/headers.ts';
import { hostnameOf, hostOf, lastHop, statusOf } from '../../../http/probe.ts';
import { tlsCause } from '../../../http/failed-request.ts';
import { TLS_CAUSES } from '../tls-untrusted/causes.ts';
import { explainUntrusted } from '../../../http/untrusted-certificate.ts';
import { message, safe, type SafeText } from '../../../text/message.ts';
import type { CauseOf, Causes } from '../../cause.ts';
import type { Problem } from '../../rule.ts';

/** The causes of a connection that fails. */
export const HANDSHAKE_CAUSES = {
  ...TLS_CAUSES,
  reset: { title: 'The connection is closed during the TLS handshake' },
  'no-answer': { title: 'The TLS handshake times out' },
  handshake: { title: 'The TLS handshake fails' },
} satisfies Causes;

export const CAUSES = {
  ...HANDSHAKE_CAUSES,
  unreachable: { title: 'An address does not respond' },
  status: { title: 'An address responds with a different status' },
  content: { title: 'Addresses serve different content' },
  copy: { title: 'Addresses serve browsers different content, such as an old compressed copy' },
  cors: { title: 'An address does not allow other origins' },
  type: { title: 'Addresses send different media types' },
  corp: { title: 'An address does not let other pages embed the icon' },
  cache: { title: 'An address lets caches hold the file for longer than an hour, or sets no lifetime' },
} satisfies Causes;
export type Cause = CauseOf<typeof CAUSES>;

/** The addresses whose responses differ from those of the others. */
type Compared = AddressFacts & Omit<AddressDifference, 'of'> & { resource: ResourceKind };

/** A difference that was found by requesting each address. */
export function differenceProblems(
  resource: ResourceKind,
  facts: AddressFacts,
  { of, ...answers }: AddressDifference,
  now: string,
): Problem<Cause>[] {
  const compared = { ...facts, ...answers, resource };
  if (of === 'connection') return brokenAddresses(compared, now);
  const { kinds } = RESPONSES[of];
  return kinds === undefined || kinds.includes(resource) ? [otherResponse(of, compared)] : [];
}

function brokenAddresses({ resource, url, differing, reference }: Compared, now: string): Problem<Cause>[] {
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

/**
 * The difference of the other addresses, as the rest of a sentence, with advice, and the differing part of one
 * response.
 */
const RESPONSES: Readonly<
  Record<
    Exclude<AddressDifference['of'], 'connection'>,
    {
      text: (compared: Compared) => SafeText;
      advice: SafeText;
      value: (answer: AddressAnswer) => string;
      /** The kinds of resources for which it matters; absent for all. */
      kinds?: readonly ResourceKind[];
      /** True if subscribers get all that they need from each address, for all kinds but icons. */
      isHarmless?: true;
    }
  >
> = {
  status: {
    text({ resource, differing, reference }) {
      const list = differing.map((answer) => `${answer.address} responds with ${serverStatus(answer)}`).join(', ');
      return message`not all of them serve the ${resourceName(resource)}: ${list}, but ${namesOf(reference)} with ${statusesOf(reference)}`;
    },
    advice: message`Deploy the same files and the same configuration to all servers, or remove the address from DNS.`,
    value: serverStatus,
  },
  content: {
    text({ resource, differing, reference }) {
      const others = differing.map((answer) => `${answer.address} (${contentOf(answer)})`).join(', ');
      const same = reference[0] ? contentOf(reference[0]) : '';
      return message`they serve different content for the ${resourceName(resource)}: ${namesOf(reference)} (${same}), ${others}`;
    },
    advice: message`Deploy the same files to all servers, and purge their caches. If a new file is still being distributed, check again when that has finished.`,
    value: (answer) => lastSample(answer).content?.sha256 ?? '',
  },
  cors: {
    text({ resource, differing, reference }) {
      const list = differing.map((answer) => `${answer.address} (${browserAnswer(answer)})`).join(', ');
      return message`not all of them let pages of other origins read the ${resourceName(resource)}: ${list} ${differing.length === 1 ? 'does' : 'do'} not, ${namesOf(reference)} ${reference.length === 1 ? 'does' : 'do'}`;
    },
    advice: message`Send the same CORS headers from all servers.`,
    value: browserAnswer,
  },
  copy: {
    text: ({ resource, ...compared }) =>
      message`browsers, or clients that accept gzip, get different content for the ${resourceName(resource)} from them: ${listed(compared, copyOf)}`,
    advice: message`Deploy the same compressed copies (.gz, .br) to all servers, or let them compress the file themselves, and purge their caches.`,
    value: copyOf,
  },
  type: {
    text: ({ resource, ...compared }) =>
      message`they send different types for the ${resourceName(resource)}: ${listed(compared, typeText)}`,
    advice: message`Use the same configuration on all servers.`,
    value: typeText,
    isHarmless: true,
  },
  corp: {
    text: ({ resource, ...compared }) =>
      message`they let different pages embed the ${resourceName(resource)} (Cross-Origin-Resource-Policy): ${listed(compared, embeddingText)}`,
    advice: message`Send the same headers from all servers: Cross-Origin-Resource-Policy: cross-origin`,
    value: embeddingText,
    kinds: ['icon'],
  },
  cache: {
    text: ({ resource, ...compared }) =>
      message`they set different lifetimes in caches for the ${resourceName(resource)}: ${listed(compared, cacheText)}`,
    advice: message`Use the same configuration on all servers, such as Cache-Control: public, max-age=300`,
    value: cacheText,
    kinds: ['manifest', 'metadata'],
    isHarmless: true,
  },
};

/** The addresses with what each of them sends, those of the majority first. */
function listed(
  { differing, reference }: Pick<Compared, 'differing' | 'reference'>,
  value: (answer: AddressAnswer) => string,
): string {
  const [first] = reference;
  const most = first === undefined ? [] : [`${namesOf(reference)} (${value(first)})`];
  return [...most, ...differing.map((answer) => `${answer.address} (${value(answer)})`)].join(', ');
}

function copyOf(answer: AddressAnswer): string {
  const { browserContent = null, gzipContent } = lastSample(answer);
  const content = gzipContent === undefined || browserContent === null ? browserContent : gzipContent;
  if (content === null) return 'cannot be decoded';
  const other = gzipContent === undefined ? '' : `, and for browsers ${(browserContent?.sha256 ?? '').slice(0, 12)}…`;
  return `SHA-256 ${content.sha256.slice(0, 12)}…${other}`;
}

function typeText(answer: AddressAnswer): string {
  return typesOf(lastSample(answer)) ?? '';
}

function embeddingText(answer: AddressAnswer): string {
  return embeddingOf(lastSample(answer)) ?? '';
}

function controlOf(probe: Probe): string {
  return headerValue(lastHop(probe)?.headers ?? [], 'cache-control') ?? 'no Cache-Control';
}

function cacheText(answer: AddressAnswer): string {
  const { server, browser } = lastSample(answer);
  const [own, other] = [controlOf(server), controlOf(browser ?? server)];
  return own === other ? own : `${own}, and ${other} for browsers`;
}

function otherResponse(of: keyof typeof RESPONSES, compared: Compared): Problem<Cause> {
  const { text, advice, value, isHarmless } = RESPONSES[of];
  const { url, differing, reference, resource } = compared;
  return {
    cause: of,
    ...(isHarmless === true && resource !== 'icon' && { severity: 'warning' as const }),
    message: message`${hostnameOf(url)} has several addresses, and ${safe(text(compared))}.`,
    advice,
    evidence: evidenceOf(url, differing, reference, value),
    dedupeKey: `${of} ${hostOf(url)}`,
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
  const changed = headerValue(hopOfAnswer(answer)?.headers ?? [], 'last-modified');
  const parts = [`${content?.bytes ?? 0} bytes`, `SHA-256 ${(content?.sha256 ?? '').slice(0, 12)}…`];
  return [...parts, ...(changed === null ? [] : [`Last-Modified ${changed}`])].join(', ');
}

/** Describes the answer that a page cannot read. */
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

/**
 * An address with which no TLS connection can be made.
 * @param hop the response of another address
 */
export function handshakeProblem(
  hop: Hop,
  bad: AddressFailure,
  more: readonly AddressFailure[],
  now: string,
): Problem<Cause> {
  const host = hostOf(hop.url);
  const { cause, message: summary, advice } = reasonOf(hop, bad, now);
  const others =
    more.length === 0 ? '' : ` The connection also fails with ${more.map(({ address }) => address).join(', ')}.`;
  return {
    cause,
    message: message`${hostnameOf(hop.url)} has several addresses, and ${bad.address} does not respond like ${hop.address ?? 'another one'}: ${safe(summary)}${others}`,
    advice: message`Correct the server at ${bad.address}, or remove that address from DNS. ${safe(advice)}`,
    evidence: {
      host,
      address: hop.address,
      differing: [bad, ...more].map(({ address, code }) => `${address} ${code}`),
      ...(bad.tls
        ? {
            subject: bad.tls.subject,
            issuer: bad.tls.issuer,
            notAfter: bad.tls.notAfter,
            fingerprint256: bad.tls.fingerprint256,
          }
        : {}),
    },
    dedupeKey: host,
  };
}

const HANDSHAKE: Readonly<Record<string, readonly [cause: Cause, message: string]>> = {
  ECONNRESET: ['reset', 'it closes the connection during the TLS handshake.'],
  SOCKET_CLOSED: ['reset', 'it closes the connection during the TLS handshake.'],
  EPIPE: ['reset', 'it closes the connection during the TLS handshake.'],
  CONNECT_TIMEOUT: ['no-answer', 'the TLS handshake times out.'],
};

function reasonOf(
  { url }: Hop,
  bad: AddressFailure,
  now: string,
): Pick<Problem<Cause>, 'message' | 'advice'> & { cause: Cause } {
  const { code, message: summary = code, tls = null, address } = bad;
  const failure: Failure = { phase: 'tls', code, message: summary, url, got: null, expected: null };
  const probe: Probe = {
    method: 'GET',
    origin: null,
    hops: [{ url, status: 0, headers: [], address, tls }],
    failure,
    attempts: 1,
    retryAfterMs: 0,
  };
  const cause = tlsCause(probe);
  if (cause !== null) return { cause, ...explainUntrusted(cause, tls, now, failure) };
  const [name, text] = HANDSHAKE[code] ?? ['handshake', `the TLS handshake with it fails (${code}).`];
  return {
    cause: name,
    message: message`${text}`,
    advice: message`Check its logs, or run openssl s_client -connect with this address.`,
  };
}

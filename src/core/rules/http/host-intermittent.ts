import { message, type SafeText } from '../../text/message.ts';
import type { RepeatedProbe, ResourceKind, SideProbe, Probe, HttpViews } from '../../facts/facts.ts';
import { doContentsAlternate, alternatingStatuses } from '../../http/header-probes.ts';
import { alternatingHeaders } from '../../http/judged-headers.ts';
import { isIntermittent, isRefusalStatus } from '../../http/repeated-probes.ts';
import { hostnameOf, hostOf, isAnswered, lastHop, originOf, statusOf } from '../../http/probe.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule, type Problem } from '../rule.ts';

const CAUSES = {
  alternating: { title: 'The same requests succeed and fail alternately' },
  'alternating-headers': { title: 'A header alternates between two values' },
  'address-dead': { title: 'An address of the host does not respond' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const hostIntermittent = defineRule({
  id: 'host-intermittent',
  title: 'Host that fails intermittently',
  on: 'resource',
  needs: ['resource', 'url', 'web', 'comparedHosts'],
  severity: 'warning',
  mergesCauses: true,
  spec: null,
  symptom: 'by-resource',
  owner: 'host',
  causes: CAUSES,
  failsWhen:
    'a resource was received only after a failed attempt (a reset connection, a status 5xx, a 404, a page or an unreadable file that did not recur, a 429 without Retry-After), the same requests get 2xx and error statuses or two values of a header alternately, or not all addresses of a host name respond',
  why: 'The service may not retry as often, so subscribers see intermittent failures.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 502 Bad Gateway

GET /registry.json

HTTP/1.1 200 OK`,
    good: `GET /registry.json

HTTP/1.1 200 OK`,
  },
  check({ resource, url, web, comparedHosts }) {
    const dead = deadAddresses(web.server, comparedHosts);
    if (dead) return dead;
    const problem =
      (isAnswered(web.server) && !doContentsAlternate(web) ? lateAnswer(resource, url, web.server) : null) ??
      alternatingStatusProblem(resource, web) ??
      otherGetProbes(web)
        .filter(({ retriedErrors: errors = [] }) => errors.some(isOfHost))
        .map((probe) => lateAnswer(resource, url, probe))
        .find((late) => late !== null);
    const late = problem ? [{ ...problem, unlessLimited: originOf(lastHop(web.server)?.url ?? url) }] : [];
    return [...late, ...alternatingHeaderProblems(resource, url, web)];
  },
});

/** True for the error of an attempt that was not a lost connection or a limit. */
function isOfHost(error: string): boolean {
  return /^status (?!408|429|503)/.test(error) || !/^status|^[A-Z0-9_]+$/.test(error);
}

function alternatingHeaderProblems(resource: ResourceKind, url: string, web: HttpViews): Problem<Cause>[] {
  const host = hostOf(lastHop(web.server)?.url ?? url);
  return alternatingHeaders(web).map(({ name, values }) => ({
    cause: 'alternating-headers',
    message: message`${host} is not reliable: the responses for the ${resourceName(resource)} alternate between ${values.map((value) => (value === null ? `no ${name}` : `${name}: ${value}`)).join(' and ')}.`,
    advice: message`Configure each server and cache behind the host alike: one of them sends another ${name}.`,
    evidence: { host, header: name, values: values.map((value) => value ?? '(none)') },
    dedupeKey: `${host} ${name}`,
  }));
}

const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

function lateAnswer(resource: ResourceKind, url: string, probe: Probe): Problem<Cause> | null {
  const { attempts, retryAfterMs, retriedErrors: errors = [] } = probe;
  // Delays that the host requested are reported by rate-limited.
  if (probe.failure !== null || statusOf(probe) >= 400 || attempts < 2 || retryAfterMs > 0) return null;
  const host = hostOf(url);
  return {
    message: message`${host} is not reliable: the ${resourceName(resource)} was received only at the ${ORDINALS[attempts] ?? `${attempts}th`} attempt. Earlier attempts: ${countedErrors(errors)}.`,
    advice: adviceFor(errors),
    evidence: { host, attempts, troubles: errors },
    dedupeKey: host,
  };
}

/** Each error once, with the number of times if there are several. */
function countedErrors(errors: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const error of errors) counts.set(error, (counts.get(error) ?? 0) + 1);
  return [...counts].map(([error, count]) => (count === 1 ? error : `${error} (${count} times)`)).join(', ');
}

/** @param errors of the attempts before the one that succeeded */
function adviceFor(errors: readonly string[]): SafeText {
  if (errors.every((error) => error === 'status 429'))
    return message`The host limits requests: raise the limit for static files, or use a host without such a limit.`;
  if (errors.some((error) => isOfHost(error) && !error.startsWith('status 5'))) return EACH_SERVER;
  return message`Check the logs of the host for dropped connections and errors.`;
}

/** The GET requests in addition to the plain one, which clients send for the same file. */
function otherGetProbes({ browser, conditional = [], revalidation, image, gzip }: HttpViews): Probe[] {
  const probes = [...browser, ...conditional.map(({ probe }) => probe), revalidation?.probe, image, gzip];
  return probes.filter((probe) => probe !== undefined);
}

const EACH_SERVER = message`Check each server and cache behind the host: one of them does not have the file, or sends something else.`;

const REQUESTS: Readonly<Record<SideProbe, string>> = {
  HEAD: 'HEAD requests',
  preflight: 'preflights (OPTIONS)',
  'HEAD preflight': 'preflights (OPTIONS) for HEAD',
  condition: 'conditional GET requests',
  range: 'GET requests with a Range',
  browser: 'GET requests',
};

/** Statuses that alternate for the same request. */
function alternatingStatusProblem(resource: ResourceKind, web: HttpViews): Problem<Cause> | null {
  const shown: (Omit<RepeatedProbe, 'of'> & { of?: SideProbe }) | null =
    (web.repeatedProbes ?? []).find(isIntermittent) ??
    alternatingStatuses(web, 'fetch') ??
    alternatingStatuses(web, 'image');
  // Alternating contents are reported by answers-differ.
  if (!shown || doContentsAlternate(web)) return null;
  const { of, url, plain, same } = shown;
  const host = hostOf(url);
  const isAnyRequest = of === undefined || plain.some(isRefusalStatus);
  const what = isAnyRequest ? 'the same requests' : REQUESTS[of];
  const refused = [...new Set([...plain, ...same].filter((status) => status === 0 || isRefusalStatus(status)))];
  const how = refused.map((status) => (status === 0 ? 'a broken connection' : String(status)));
  return {
    cause: 'alternating',
    message: message`${host} is not reliable: ${what} for the ${resourceName(resource)} alternate between 2xx and ${how.length === 0 ? 'an error status' : how.join(' or ')}.`,
    advice: EACH_SERVER,
    evidence: { host, requested: url, plain: plain.join(', '), repeated: same.join(', ') || null },
    dedupeKey: host,
  };
}

// A machine without a route for an address family reports it itself, which says nothing about the host.
const LOCAL = /^(ENETUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT)$/;

/** A name with several addresses, some of which do not respond. */
function deadAddresses(probe: Probe, comparedHosts: ReadonlySet<string>): Problem<Cause> | null {
  for (const { url, failedAddresses = [], address } of probe.hops) {
    const dead = failedAddresses.filter(({ code, phase }) => !LOCAL.test(code) && phase === undefined);
    if (dead.length === 0) continue;
    const host = hostnameOf(url);
    // Reported by addresses-differ, as an error.
    if (comparedHosts.has(host)) continue;
    // The local machine's own names are not in public DNS.
    if (/^([\w.-]+\.)?localhost\.?(:|$)/i.test(host)) continue;
    // A timeout over IPv6 may be caused by the local network; a refusal comes from the other end.
    const isCertain = dead.some((one) => one.code === 'ECONNREFUSED' || !one.address.includes(':'));
    const list = dead.map((one) => `${one.address} (${one.code})`).join(', ');
    return {
      cause: 'address-dead',
      severity: isCertain ? 'warning' : 'note',
      message: message`${host} has several addresses, and not all of them respond: ${list}; ${address ?? 'another one'} does.${isCertain ? '' : ' Perhaps IPv6 does not work on this network.'}`,
      advice: message`Remove the A or AAAA records of addresses without a server, or start the server there.`,
      evidence: { host, address, dead: dead.map((one) => `${one.address} ${one.code}`) },
      dedupeKey: hostOf(url),
    };
  }
  return null;
}

import type { LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure, HostFacts, Probe } from '../../core/facts/facts.ts';
import { lastHop, machineLimitOf, originOf } from '../../core/http/probe.ts';
import { requireNode } from '../../platform/runtime.ts';
import { message } from '../../core/text/message.ts';
import { secretsOf } from '../../core/url/secrets.ts';
import type { AddressPolicy } from './address-policy.ts';
import { type CircuitBreaker, isTemporaryRefusal, openCircuitBreaker, requestKindOf } from './circuit-breaker.ts';
import { failureFact } from './failure.ts';
import { AGAIN, CONTROL, type HostQueue, NEW, type Refusal, type Turn } from './host-queue.ts';
import { type Deadline, Deadlines } from './deadlines.ts';
import { requestHop, followRedirects, type RedirectChain } from './hop.ts';
import { ConnectionPool } from './pool.ts';
import type { ProxyFor } from './proxy.ts';
import { redactor } from '../../core/text/redactor.ts';
import { hopRequest, type ProbeRequest, type RetryOptions, type SecretHeaders, urlFailure } from './request.ts';
import { Attempts } from './retry.ts';
import { openTrust, type SecureContexts } from './tls.ts';

/** Options of an HTTP client. */
export interface HttpOptions extends RetryOptions {
  /** Requests in flight at once, per host. Default 32. */
  concurrency?: number;
  /** The proxy for a URL. Default: none. */
  proxyFor?: ProxyFor;
  /** PEM text of additional trusted authorities, or null. */
  ca?: string | null;
  /** PEM text of NODE_EXTRA_CA_CERTS, or null. */
  machineCa?: string | null;
  /** Shared by clients with the same authorities. */
  contexts?: SecureContexts;
  /** Headers for one origin only; their values are removed from all facts. */
  secrets?: SecretHeaders | null;
  /** Ends all probes, with failures. */
  signal?: AbortSignal;
  /** Overrides of the defaults, in milliseconds. */
  connectTimeout?: number;
  headersTimeout?: number;
  idleTimeout?: number;
  /** Resolves names instead of the system resolver. */
  lookup?: LookupFunction | null;
  /**
   * Decides for every connection, redirects included, whether it may be made. Not to be used with a proxy, which
   * resolves names itself.
   */
  guard?: AddressPolicy | null;
}

/** Sends requests, and returns a record of each. */
export interface HttpClient {
  /** Requests a URL, follows redirects and retries if that may help. Never throws for network errors. */
  probe(request: ProbeRequest): Promise<Probe>;
  /** The hosts that refused requests temporarily, and the concurrency that they accepted. */
  hosts(): HostFacts[];
  /** The code of the system if this machine could not send a request, even one at a time; otherwise null. */
  machineLimit(): string | null;
  /** Ends the probes in flight, with failures. Later ones are sent. */
  interrupt(): void;
  close(): Promise<void>;
}

/** State that the probes of a client share. */
interface ClientState {
  options: HttpOptions;
  pool: ConnectionPool;
  breaker: CircuitBreaker;
  deadlines: Deadlines;
  /** Removes secret header values from a text; null if there are none. */
  redact: ((text: string) => string) | null;
  /** The code of the system when this machine could not send a request; null if it sent all. */
  limit: string | null;
}

/** Number of repetitions of a request because this machine had no resources for it, and the pause before, in ms. */
const MAX_RELIEFS = 10;
const RELIEF_PAUSE = 50;

/**
 * Opens a client; close it to end its connections.
 * @throws AppregError `runtime-unsupported` (exit 2) on a runtime other than Node.js
 */
export function openHttpClient(options: HttpOptions = {}): HttpClient {
  requireNode(message`Requesting a URL`);
  const pool = new ConnectionPool({
    concurrency: Math.max(1, Math.floor(options.concurrency ?? 32)),
    trust: openTrust(options.ca ?? null, options.machineCa ?? null, options.contexts),
    timeout: options.connectTimeout ?? 10_000,
    lookup: options.lookup ?? null,
    guard: options.guard ?? null,
    proxyFor: options.proxyFor ?? (() => null),
    headersTimeout: options.headersTimeout ?? 15_000,
    idleTimeout: options.idleTimeout ?? 15_000,
  });
  const secrets = (options.secrets?.headers ?? []).map(([, value]) => value);
  const deadlines = new Deadlines(options.signal);
  const redact = secrets.length === 0 ? null : redactor(secrets);
  const state: ClientState = { options, pool, breaker: openCircuitBreaker(), deadlines, redact, limit: null };
  return {
    probe: (request) => sendProbe(request, state),
    hosts: () => pool.refusingHosts(),
    machineLimit: () => state.limit,
    interrupt: () => deadlines.end(new Error('the run was interrupted')),
    close() {
      deadlines.close();
      return pool.close();
    },
  };
}

async function sendProbe(request: ProbeRequest, state: ClientState): Promise<Probe> {
  const { method, origin } = request;
  const failure = urlFailure(request.url);
  const probe: Probe = { method, origin, hops: [], failure, attempts: 0, retryAfterMs: 0 };
  if (failure) return probe;
  const { side, total, url } = request;
  const limit = side === undefined ? total : Math.min(total, state.pool.patience(new URL(url).origin));
  const deadline = state.deadlines.open(limit);
  try {
    await sendAttempts(probe, request, deadline, state);
  } finally {
    deadline.stop();
  }
  if (side !== 'repeat') recordOutcome(probe, request, state);
  return withoutSecrets(probe, state.redact);
}

/** Repeats the request until it succeeds or repeating it does not help; the results are put into the probe. */
async function sendAttempts(
  probe: Probe,
  request: ProbeRequest,
  deadline: Deadline,
  state: ClientState,
): Promise<void> {
  const { options, pool, breaker } = state;
  const isOptional = request.optional === true;
  const retries = isOptional ? 0 : (options.retries ?? 2);
  const attempts = new Attempts(options, retries, request.total);
  const errors: string[] = [];
  let turn: Turn = NEW;
  let lastRefusal: Refusal | null = null;
  let held: Pick<HostQueue, 'endAlone'> | null = null;
  for (;;) {
    const { hops, last: hop, failure, refusal } = await sendWithinLimits(request, turn, deadline, state);
    // Given up between two attempts: keep the result of the previous one.
    if (failure?.phase === 'not-sent' && probe.attempts > 0) break;
    probe.attempts += 1;
    probe.hops = hops;
    probe.failure = failure;
    lastRefusal = refusal;
    const origin = originOf(hop.url);
    const queue = pool.queueOf(origin);
    held = refusal === 'alone' ? queue : null;
    const isRefused = isTemporaryRefusal(hop);
    if (hop.status !== 0 && !isRefused && !isOptional) breaker.recordAnswer(origin, hop.url, requestKindOf(request));
    if (hop.status !== 0 && !isRefused && attempts.wasCrowded) queue.recordCure();
    if (hop.status !== 0 && !isRefused && attempts.outage > 0) queue.slowTo(attempts.outage);
    if (deadline.ended || pool.downReason(origin)) break;
    let isHostRefusing = false;
    const next = await attempts.next(probe, { hop, refusal }, async () => {
      isHostRefusing = await refusesAll(origin, deadline, state);
      return isHostRefusing;
    });
    if (next === null) {
      if (refusal === 'alone' && !isHostRefusing) queue.recordFault();
      if (refusal === 'alone' && isHostRefusing && !isOptional) breaker.recordOutage(origin);
      break;
    }
    errors.push(failure ? failure.code : `status ${hop.status}`);
    if (next.hostPause > 0) queue.pause(next.hostPause);
    await wait(next.delay, request, deadline);
    // The deadline expired during the wait: keep the last result.
    if (deadline.ended) break;
    ({ turn } = next);
  }
  held?.endAlone();
  if (errors.length > 0) probe.retriedErrors = errors;
  if (!isOptional) probe.failure ??= crowdedFailure(probe, lastRefusal);
}

/** The failure of a request that was only refused while others were in flight: it says nothing about its URL. */
function crowdedFailure(probe: Probe, refusal: Refusal | null): Failure | null {
  const hop = lastHop(probe);
  if (hop === null || !isTemporaryRefusal(hop) || refusal === null || refusal === 'alone') return null;
  const times = probe.attempts === 1 ? '' : ` ${probe.attempts} times`;
  const summary = `refused it${times} (${hop.status}) while other requests were in flight, and the time limit allowed no further wait`;
  return failureFact('not-sent', 'REFUSED_WITH_OTHERS', summary, hop.url);
}

/** Waits before the next attempt. The short deadline of a side request is about the host, and does not include it. */
async function wait(delay: number, { side }: ProbeRequest, deadline: Deadline): Promise<void> {
  if (delay === 0) return;
  if (side !== undefined) deadline.pause();
  await sleep(delay, undefined, { signal: deadline.signal }).catch(() => {});
  if (side !== undefined) deadline.resume();
}

/** True if a host refuses a file that it answered before; false also if it answered none. */
async function refusesAll(origin: string, deadline: Deadline, state: ClientState): Promise<boolean> {
  const answered = state.breaker.answeredUrl(origin);
  if (answered === null) return false;
  const { last } = await sendAttempt({ ...CONTROL_REQUEST, url: answered }, CONTROL, deadline, state);
  return isTemporaryRefusal(last);
}

/** Its body is not read. */
const CONTROL_REQUEST = { method: 'GET', origin: null, accept: '*/*', side: 'repeat', total: 0 } as const;

/** Sends an attempt; again with fewer requests in flight if this machine has no resources left for it. */
async function sendWithinLimits(
  request: ProbeRequest,
  turn: Turn,
  deadline: Deadline,
  state: ClientState,
): Promise<RedirectChain> {
  const { pool } = state;
  for (let relief = 1; ; relief += 1) {
    const since = pool.reliefs();
    const chain = await sendAttempt(request, relief === 1 ? turn : AGAIN, deadline, state);
    const isLimited = machineLimitOf(chain.failure) !== null;
    if (!isLimited) return chain;
    if (relief > MAX_RELIEFS || deadline.ended) {
      state.limit = chain.failure?.code ?? null;
      return chain;
    }
    await pool.reduceConnections(since);
    await sleep(RELIEF_PAUSE * relief, undefined, { signal: deadline.signal }).catch(() => {});
  }
}

function sendAttempt(
  request: ProbeRequest,
  turn: Turn,
  deadline: Deadline,
  state: ClientState,
): Promise<RedirectChain> {
  const { options, pool, breaker } = state;
  return followRedirects(request.url, request.method !== 'OPTIONS', (url, before) =>
    requestHop(hopRequest(request, url, before, options.secrets ?? null), turn, pool, breaker, deadline),
  );
}

/** Remembers a host that cannot be connected to, so that thousands of files on it do not each wait for it. */
function recordOutcome(probe: Probe, request: ProbeRequest, { pool, breaker }: ClientState): void {
  const last = probe.hops.at(-1);
  const { failure } = probe;
  if (!last || failure?.phase === 'not-sent' || failure?.code === 'INTERRUPTED') return;
  const origin = originOf(last.url);
  breaker.record(origin, requestKindOf(request), request.accept, probe);
  if (failure?.phase === 'time') return;
  const isUnconnected =
    last.status === 0 && failure !== null && ['dns', 'connect', 'tls', 'proxy'].includes(failure.phase);
  pool.recordConnection(origin, isUnconnected ? failure : null);
}

/** Removes cookies, and secrets that a host may echo. */
function withoutSecrets(probe: Probe, redact: ClientState['redact']): Probe {
  for (const hop of probe.hops) {
    for (const line of hop.headers) {
      if (line[0] === 'set-cookie') line[1] = 'REDACTED';
      else if (redact) line[1] = redact(line[1]);
    }
    // Object stores quote the signature that they reject.
    if (hop.excerpt !== undefined)
      hop.excerpt = redactor(probe.hops.flatMap(({ url }) => secretsOf(url)))(redact?.(hop.excerpt) ?? hop.excerpt);
  }
  return probe;
}

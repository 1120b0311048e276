import { createHash } from 'node:crypto';
import { PROBE_HEADER, PROBE_ORIGIN } from '../../src/core/http/cors.ts';
import { headerValue } from '../../src/core/http/headers.ts';
import { isAnswered, lastHop, statusOf } from '../../src/core/http/probe.ts';
import { isOther } from '../../src/core/http/header-probes.ts';
import { sideProbes } from '../../src/core/http/side-probes.ts';
import type {
  ComparedBody,
  Conditional,
  HeaderGroup,
  HttpViews,
  Probe,
  ResourceKind,
} from '../../src/core/facts/facts.ts';
import { probesDifferingBy } from './copies.ts';
import { type Exchange, type FailedConnection, isFailedConnection, parseSteps } from './exchange-text.ts';
import { failed, hop, NOW, tls, probe as probeOf, web } from './probes.ts';

/** Facts about a resource from the exchanges of an example. */

/** A request with everything that followed it: redirects, and repetitions after an error. */
interface Sent {
  request: [string, string][];
  body: string;
  probe: Probe;
}

/** Input of a rule about resources. */
export function exchangeFacts(text: string): Record<string, unknown> {
  const sent = sentIn(text);
  const [own] = sent.filter(({ probe, request }) => probe.method === 'GET' && request.length === 0);
  const server = own?.probe ?? probeOf();
  const views = viewsOf(sent, own ?? { request: [], body: '', probe: server });
  const url = server.hops[0]?.url ?? '';
  const origins = [...new Set(sent.flatMap(({ request }) => headerValue(request, 'origin') ?? []))];
  const date = headerValue(lastHop(server)?.headers ?? [], 'date');
  return {
    ...sideProbes(views),
    resource: roleOf(url),
    url,
    web: views,
    answer: isAnswered(server) ? server : undefined,
    origins,
    comparedHosts: new Set(),
    now: date === null ? NOW : new Date(date).toISOString(),
  };
}

/** The body of the first response. */
export function firstBody(text: string): string {
  return sentIn(text)[0]?.body ?? '';
}

function roleOf(url: string): ResourceKind {
  if (url.endsWith('.tar.gz')) return 'artifact';
  if (/\.(svg|png)$/.test(url)) return 'icon';
  return url.endsWith('/registry.json') ? 'manifest' : 'metadata';
}

function sentIn(text: string): Sent[] {
  const all: Sent[] = [];
  let failures: FailedConnection[] = [];
  for (const step of parseSteps(text)) {
    if (isFailedConnection(step)) {
      failures.push(step);
      continue;
    }
    const last = all.at(-1);
    if (last !== undefined && isRedirectedTo(last.probe, step)) last.probe.hops.push(hopOf(step, failures));
    else if (last !== undefined && isRepeated(last, step)) repeat(last, step);
    else all.push(newSent(step, failures));
    failures = [];
  }
  const [refused] = failures;
  if (refused !== undefined) all.push({ request: [], body: '', probe: failed(refused.phase, refused.code) });
  for (const { probe } of all) endLoop(probe);
  return all;
}

function newSent(step: Exchange, failures: readonly FailedConnection[]): Sent {
  const { method, request, body } = step;
  const requested = headerValue(request, 'access-control-request-headers');
  const probe = probeOf(hopOf(step, failures), {
    method,
    origin: headerValue(request, 'origin'),
    ...(method === 'OPTIONS' ? { requestedHeaders: [requested ?? PROBE_HEADER] } : {}),
  });
  return { request, body, probe };
}

function hopOf(step: Exchange, failures: readonly FailedConnection[]): Probe['hops'][number] {
  const { url, status, headers, continued, malformed, notAfter, key } = step;
  return hop(headers, {
    url,
    status,
    ...(continued ? { unsolicitedContinue: true } : {}),
    ...(malformed ? { refusedByNode: 'HPE_INVALID_HEADER_TOKEN' } : {}),
    ...(notAfter === null ? {} : { tls: tls({ notAfter }) }),
    ...(key === null
      ? {}
      : { tls: tls({ certificates: [{ subject: 'CN=apps.example.com', key, signature: null, keyUsage: null }] }) }),
    ...(failures.length === 0
      ? {}
      : {
          failedAddresses: failures.map(({ phase, code, address }) => ({
            address,
            code,
            ...(phase === 'tls' ? { phase } : {}),
          })),
        }),
  });
}

function locationOf(probe: Probe): string | null {
  const last = lastHop(probe);
  const location = headerValue(last?.headers ?? [], 'location');
  return location === null ? null : new URL(location, last?.url).href;
}

function isRedirectedTo(probe: Probe, { url }: Exchange): boolean {
  return statusOf(probe) >= 300 && statusOf(probe) < 400 && locationOf(probe) === url;
}

function isRepeated({ request, probe }: Sent, next: Exchange): boolean {
  const isSame = JSON.stringify(request) === JSON.stringify(next.request) && probe.method === next.method;
  return isSame && statusOf(probe) >= 400 && lastHop(probe)?.url === next.url;
}

function repeat(sent: Sent, next: Exchange): void {
  const { probe } = sent;
  probe.retryAfterMs += 1000 * Number(headerValue(lastHop(probe)?.headers ?? [], 'retry-after') ?? 0);
  probe.retriedErrors = [...(probe.retriedErrors ?? []), `status ${statusOf(probe)}`];
  probe.attempts += 1;
  probe.hops = [hopOf(next, [])];
  sent.body = next.body;
}

/** A redirect to a URL that was already requested is not followed. */
function endLoop(probe: Probe): void {
  const url = locationOf(probe);
  if (url === null || !probe.hops.some((one) => one.url === url)) return;
  probe.failure = { phase: 'redirect', code: 'REDIRECT_LOOP', message: '', url, got: null, expected: null };
}

function viewsOf(sent: readonly Sent[], own: Sent): HttpViews {
  const views = web(own.probe);
  const preflights: Probe[] = [];
  for (const one of sent) {
    if (one === own) continue;
    const { request, probe, body } = one;
    const condition = conditionOf(request);
    // A request without a response: repeated, like the plain one.
    if (headerValue(request, 'range') !== null && statusOf(probe) === 0)
      views.repeatedProbes = [{ of: 'range', url: lastHop(probe)?.url ?? '', plain: [200, 200], same: [0, 0] }];
    else if (probe.method === 'HEAD') views.head = probe;
    else if (probe.method === 'OPTIONS' && headerValue(request, 'access-control-request-method') === 'HEAD')
      views.headPreflight = probe;
    else if (probe.method === 'OPTIONS') preflights.push(probe);
    else if (condition !== null && probe.origin !== null) views.revalidation = { condition, probe: probe };
    else if (condition !== null)
      (views.conditional ??= []).push({
        condition,
        fabricated: isFabricated(condition, own.probe),
        probe: probe,
        sameBytes: body === '' ? null : body === own.body,
      });
    else addBrowser(views, one, own);
  }
  const [preflight, ...more] = preflights;
  return { ...views, ...(preflight ? { preflight } : {}), ...(more.length > 0 ? { preflights: more } : {}) };
}

function conditionOf(request: [string, string][]): Conditional['condition'] | null {
  for (const name of ['if-none-match', 'if-modified-since'] as const) {
    const value = headerValue(request, name);
    if (value !== null) return [name, value];
  }
  return null;
}

/** True for a tag or date other than those of the plain response. */
function isFabricated([name, value]: Conditional['condition'], plain: Probe): boolean {
  const own = headerValue(lastHop(plain)?.headers ?? [], name === 'if-none-match' ? 'etag' : 'last-modified');
  return own !== value;
}

const GROUPS: readonly [RegExp, HeaderGroup][] = [
  [/^(origin|referer)$/, 'origin'],
  [/^sec-fetch-/, 'fetch-metadata'],
  [/^accept-encoding$/, 'encoding'],
  [/^(user-agent|accept-language)$/, 'agent'],
];

/** Adds a GET as browsers send it; if its response differs, the headers of the request are the reason. */
function addBrowser(views: HttpViews, { request, probe, body }: Sent, own: Sent): void {
  const copy = comparedBody(probe, body, own.body);
  const shown = { ...probe, origin: probe.origin ?? PROBE_ORIGIN, ...(copy === null ? {} : { copy }) };
  views.browser.push(shown);
  if (!isOther(shown)) return;
  const groups = GROUPS.filter(([names]) => request.some(([name]) => names.test(name))).map(([, group]) => group);
  views.headerProbes = probesDifferingBy(shown, groups);
}

/** A body `[gzip] …` is compressed, and shown decoded. Null for the same body without a coding. */
function comparedBody(probe: Probe, body: string, first: string): ComparedBody | null {
  const coding = headerValue(lastHop(probe)?.headers ?? [], 'content-encoding') ?? '';
  const [, packed, text = body] = /^\[(\w+)\] ([^]*)$/.exec(body) ?? [];
  const same = text === first && (coding === '') === (packed === undefined);
  if (body === '' || (same && coding === '')) return null;
  const broken = coding !== '' && packed !== coding;
  const decoded = { ...digestOf(text), kind: kindOf(text) };
  return {
    coding,
    bytes: text.length,
    kind: packed ?? kindOf(text),
    fault: broken ? 'broken' : null,
    decoded: broken ? null : decoded,
    same,
    first: digestOf(first),
  };
}

function digestOf(text: string): { bytes: number; sha256: string } {
  return { bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') };
}

function kindOf(text: string): string {
  return text.startsWith('{') ? 'json' : 'html';
}

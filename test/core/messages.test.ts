import { expect, test } from 'vitest';
import { judge } from '../../src/core/engine/judge.ts';
import type {
  AddressFailure,
  Failure,
  Hop,
  PathCertificate,
  TlsFacts,
  Probe,
  HttpViews,
} from '../../src/core/facts/facts.ts';
import { hop, NOW, tls, probe } from '../support/probes.ts';
import { artifact, BASE, listed, snapshot } from '../support/snapshots.ts';

/** What the rules say about generated facts: no message holds what no reader can use. */

const UNUSABLE: readonly [name: string, pattern: RegExp][] = [
  ['a negative length of time', /(?<![\d\w])-\d+ (s|min|h|hours?|days?|years?)\b/],
  [
    'none of something that has a plural',
    /(?<![\d.,:])0 (redirects|times|attempts|addresses|certificates|versions|apps|days)\b/,
  ],
  [
    'one of something in the plural',
    /(?<![\d.,:-])1 (redirects|times|attempts|bytes|addresses|certificates|versions|apps|days|hours|lines)\b/,
  ],
  ['a value that is not there', /\b(undefined|NaN)\b|(?<!Origin: |it is "|allow "|Origin is )\bnull\b|\[object/],
  ['two spaces', /\S {2}\S/],
  ['a full stop twice', /[^.]\.\.(?!\.)/],
  ['an empty quotation', /“”|\(\)/],
];

/** A generator of numbers that gives the same ones in each run (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const next = numbers(12);
function one<T>(...list: readonly [T, ...T[]]): T {
  return list[Math.floor(next() * list.length)] ?? list[0];
}
const sometimes = (share: number): boolean => next() < share;
const moment = (): string =>
  new Date(Date.parse(NOW) + one(-1, 1) * one(0, 1000, 90_000, 86_400_000, 400 * 86_400_000)).toISOString();

const CODES: readonly [Failure['phase'], string][] = [
  ['dns', 'ENOTFOUND'],
  ['dns', 'ESERVFAIL'],
  ['connect', 'ECONNREFUSED'],
  ['connect', 'ENETUNREACH'],
  ['connect', 'X'],
  ['tls', 'CERT_HAS_EXPIRED'],
  ['tls', 'CERT_NOT_YET_VALID'],
  ['tls', 'INVALID_PURPOSE'],
  ['tls', 'INVALID_CA'],
  ['tls', 'PATH_LENGTH_EXCEEDED'],
  ['tls', 'UNSPECIFIED'],
  ['tls', 'CERT_SIGNATURE_FAILURE'],
  ['tls', 'CERT_REVOKED'],
  ['tls', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ['tls', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  ['tls', 'ECONNRESET'],
  ['tls', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ['tls', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['tls', 'CONNECT_TIMEOUT'],
  ['headers', 'HEADERS_TIMEOUT'],
  ['headers', 'HPE_X'],
  ['headers', 'SOCKET_CLOSED'],
  ['headers', 'UNSOLICITED_PARTIAL'],
  ['body', 'TRUNCATED'],
  ['body', 'BODY_TIMEOUT'],
  ['decode', 'Z_DATA_ERROR'],
  ['size', 'TOO_LARGE'],
  ['time', 'TOTAL_TIMEOUT'],
  ['redirect', 'REDIRECT_LOOP'],
  ['redirect', 'REDIRECT_LIMIT'],
  ['redirect', 'REDIRECT_NO_LOCATION'],
  ['redirect', 'REDIRECT_SEVERAL_LOCATIONS'],
  ['redirect', 'REDIRECT_BLOCKED_PORT'],
  ['proxy', 'PROXY_407'],
  ['proxy', 'PROXY_503'],
  ['proxy', 'ECONNREFUSED'],
  ['proxy', 'PROXY_UNUSABLE'],
];
const MESSAGES = [
  'permitted subtree violation',
  'excluded subtree violation',
  'CA certificate key too weak',
  'x',
] as const;

function certificate(): PathCertificate {
  return {
    subject: one('CN=A', 'O=B, CN=C', 'O=No common name', 'CN=R'),
    issuer: one('CN=R', 'O=B, CN=C'),
    notBefore: moment(),
    notAfter: moment(),
    fingerprint256: 'AA',
    from: one('host', 'store'),
    authority: sometimes(0.7),
    pathLength: one(null, 0, 1, 2),
    keyUsage: one(null, [], ['keyCertSign'], ['cRLSign']),
    extendedKeyUsage: one(null, [], ['1.3.6.1.5.5.7.3.1'], ['1.3.6.1.5.5.7.3.2']),
    permitted: one([], ['DNS:example.com']),
    excluded: one([], ['IP:10.0.0.0/255.0.0.0']),
    signature: one('sha256WithRSA', 'sha1WithRSA', 'md5WithRSA'),
    key: one('rsa 2048', 'rsa 1024', 'ec prime256v1'),
    signatureValid: one(null, true, false),
  };
}

function someTls(): TlsFacts {
  return tls({
    names: one([], ['a.example'], ['a.example', 'b.example']),
    notBefore: moment(),
    notAfter: moment(),
    privateCa: sometimes(0.3),
    ...(sometimes(0.5) ? { sent: one(1, 2, 3), path: Array.from({ length: one(0, 1, 2, 3, 4) }, certificate) } : {}),
    ...(sometimes(0.3)
      ? { endsFirst: { subject: one('CN=A', 'O=B'), notAfter: moment(), fingerprint256: 'BB', root: sometimes(0.5) } }
      : {}),
  });
}

function address(): AddressFailure {
  const [phase, code] = one(...(CODES as [(typeof CODES)[number]]));
  return phase === 'tls'
    ? { address: '192.0.2.7', code, phase, message: one(...MESSAGES), ...(sometimes(0.5) ? { tls: someTls() } : {}) }
    : { address: one('192.0.2.8', '2001:db8::8'), code };
}

function someHop(url: string): Hop {
  const headers: [string, string][] = [];
  const maybe = (name: string, ...values: [string, ...string[]]): void => {
    if (sometimes(0.4)) headers.push([name, one(...values)]);
  };
  maybe('age', '0', '1', '-5', '86400', 'x', '99999999999');
  maybe('cache-control', 'max-age=0', 'max-age=1', 'public, max-age=31536000', 'max-age=-1', 'no-store', '');
  maybe('retry-after', '0', '1', '-1', 'x', new Date(Date.parse(NOW) - 5000).toUTCString());
  maybe('date', new Date(Date.parse(NOW) + 5e6).toUTCString(), 'x');
  maybe('last-modified', new Date(Date.parse(NOW) + 5e6).toUTCString());
  maybe('content-type', '', 'text/html', 'application/json', ';', 'image/png');
  maybe('content-encoding', '', 'identity', 'gzip, identity', 'x', 'gzip');
  maybe('access-control-allow-origin', '', '*', 'null', 'https://a.test', '*, *');
  maybe('vary', 'Origin', '*', '');
  maybe('etag', '""', 'W/"x"', 'x');
  maybe('location', '/a', '');
  maybe('location', '/b');
  maybe('cross-origin-resource-policy', 'same-origin', 'same-site', '');
  return hop(headers, {
    url: sometimes(0.3) ? url.replace('https://apps.example.com', 'https://b.example:8443') : url,
    status: one(200, 200, 200, 0, 204, 206, 301, 304, 401, 403, 404, 410, 429, 500, 503, 511, 999),
    tls: sometimes(0.7) ? someTls() : null,
    address: one(null, '192.0.2.1'),
    ...(sometimes(0.3) ? { failedAddresses: Array.from({ length: one(1, 2, 3) }, address) } : {}),
    ...(sometimes(0.2) ? { excerpt: one('', '<Code>AccessDenied</Code>', 'x') } : {}),
    ...(sometimes(0.1) ? { proxy: { url: one('', 'http://proxy:3128'), variable: 'HTTPS_PROXY' } } : {}),
  });
}

function someProbe(url: string, method: Probe['method'], origin: string | null): Probe {
  const hops = Array.from({ length: one(1, 1, 1, 2, 3, 6) }, () => someHop(url));
  const [phase, code] = one(...(CODES as [(typeof CODES)[number]]));
  const failure: Failure | null = sometimes(0.4)
    ? {
        phase,
        code,
        message: one(...MESSAGES),
        url: hops.at(-1)?.url ?? url,
        got: one(null, 0, 1, 7),
        expected: one(null, 1, 9),
      }
    : null;
  return probe(hops, {
    method,
    origin,
    failure,
    attempts: one(1, 2, 3),
    retryAfterMs: one(0, 1000),
    retriedErrors: one([], ['x']),
  });
}

function someWeb(url: string): HttpViews {
  return {
    server: someProbe(url, 'GET', null),
    browser: [someProbe(url, 'GET', 'https://svc.test')],
    preflight: sometimes(0.5)
      ? { missing: { code: 'not-requested', flag: null } }
      : someProbe(url, 'OPTIONS', 'https://svc.test'),
    head: sometimes(0.5) ? { missing: { code: 'not-requested', flag: null } } : someProbe(url, 'HEAD', null),
  };
}

test('no message about generated answers holds what no reader can use', () => {
  const rules = new Set<string>();
  const found = new Map<string, string>();
  for (let run = 0; run < 400; run += 1) {
    const facts = snapshot(['a', 'b'], { a: listed('1.0.0', '1.1.0'), b: listed('2.0.0') });
    const url = `${BASE}registry.json`;
    facts.origins = one<string[]>([], ['https://svc.test']);
    facts.seenAt = NOW;
    facts.manifest.url = url;
    facts.manifest.web = someWeb(url);
    for (const app of facts.apps) {
      app.metadata.web = someWeb(app.metadata.url ?? url);
      app.icon.web = someWeb(app.icon.url ?? url);
      app.artifacts = app.artifacts.map((seen) => ({ ...artifact(), ...seen, web: someWeb(seen.url ?? url) }));
    }
    const report = judge(facts, { command: 'verify' });
    for (const { rule, cause, message, advice } of report.findings) {
      rules.add(`${rule} ${cause ?? ''}`);
      for (const [name, pattern] of UNUSABLE) {
        const text = `${message}\n${advice}`;
        if (pattern.test(text)) found.set(`${name}: ${rule} ${cause}`, text);
      }
    }
  }
  expect(Object.fromEntries(found)).toEqual({});
  // That much is reached; fewer means that the generated facts no longer fit the rules.
  expect(rules.size).toBeGreaterThan(80);
}, 60_000);

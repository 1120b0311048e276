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
import { runs } from '../support/property-runs.ts';
import { artifact, BASE, metadataWith, snapshot } from '../support/snapshots.ts';

/** Messages about generated facts: none contains an unusable phrase. */

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
function pick<T>(...list: readonly [T, ...T[]]): T {
  return list[Math.floor(next() * list.length)] ?? list[0];
}
const withProbability = (share: number): boolean => next() < share;
const randomTime = (): string =>
  new Date(Date.parse(NOW) + pick(-1, 1) * pick(0, 1000, 90_000, 86_400_000, 400 * 86_400_000)).toISOString();

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
    subject: pick('CN=A', 'O=B, CN=C', 'O=No common name', 'CN=R'),
    issuer: pick('CN=R', 'O=B, CN=C'),
    notBefore: randomTime(),
    notAfter: randomTime(),
    fingerprint256: 'AA',
    from: pick('host', 'store'),
    authority: withProbability(0.7),
    pathLength: pick(null, 0, 1, 2),
    keyUsage: pick(null, [], ['keyCertSign'], ['cRLSign']),
    extendedKeyUsage: pick(null, [], ['1.3.6.1.5.5.7.3.1'], ['1.3.6.1.5.5.7.3.2']),
    permitted: pick([], ['DNS:example.com']),
    excluded: pick([], ['IP:10.0.0.0/255.0.0.0']),
    signature: pick('sha256WithRSA', 'sha1WithRSA', 'md5WithRSA'),
    key: pick('rsa 2048', 'rsa 1024', 'ec prime256v1'),
    signatureValid: pick(null, true, false),
  };
}

function randomTls(): TlsFacts {
  return tls({
    names: pick([], ['a.example'], ['a.example', 'b.example']),
    notBefore: randomTime(),
    notAfter: randomTime(),
    privateCa: withProbability(0.3),
    ...(withProbability(0.5)
      ? { sent: pick(1, 2, 3), path: Array.from({ length: pick(0, 1, 2, 3, 4) }, certificate) }
      : {}),
    ...(withProbability(0.3)
      ? {
          endsFirst: {
            subject: pick('CN=A', 'O=B'),
            notAfter: randomTime(),
            fingerprint256: 'BB',
            root: withProbability(0.5),
          },
        }
      : {}),
  });
}

function address(): AddressFailure {
  const [phase, code] = pick(...(CODES as [(typeof CODES)[number]]));
  return phase === 'tls'
    ? {
        address: '192.0.2.7',
        code,
        phase,
        message: pick(...MESSAGES),
        ...(withProbability(0.5) ? { tls: randomTls() } : {}),
      }
    : { address: pick('192.0.2.8', '2001:db8::8'), code };
}

function randomHop(url: string): Hop {
  const headers: [string, string][] = [];
  const maybe = (name: string, ...values: [string, ...string[]]): void => {
    if (withProbability(0.4)) headers.push([name, pick(...values)]);
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
    url: withProbability(0.3) ? url.replace('https://apps.example.com', 'https://b.example:8443') : url,
    status: pick(200, 200, 200, 0, 204, 206, 301, 304, 401, 403, 404, 410, 429, 500, 503, 511, 999),
    tls: withProbability(0.7) ? randomTls() : null,
    address: pick(null, '192.0.2.1'),
    ...(withProbability(0.3) ? { failedAddresses: Array.from({ length: pick(1, 2, 3) }, address) } : {}),
    ...(withProbability(0.2) ? { excerpt: pick('', '<Code>AccessDenied</Code>', 'x') } : {}),
    ...(withProbability(0.1) ? { proxy: { url: pick('', 'http://proxy:3128'), variable: 'HTTPS_PROXY' } } : {}),
  });
}

function someProbe(url: string, method: Probe['method'], origin: string | null): Probe {
  const hops = Array.from({ length: pick(1, 1, 1, 2, 3, 6) }, () => randomHop(url));
  const [phase, code] = pick(...(CODES as [(typeof CODES)[number]]));
  const failure: Failure | null = withProbability(0.4)
    ? {
        phase,
        code,
        message: pick(...MESSAGES),
        url: hops.at(-1)?.url ?? url,
        got: pick(null, 0, 1, 7),
        expected: pick(null, 1, 9),
      }
    : null;
  return probe(hops, {
    method,
    origin,
    failure,
    attempts: pick(1, 2, 3),
    retryAfterMs: pick(0, 1000),
    retriedErrors: pick([], ['x']),
  });
}

function randomViews(url: string): HttpViews {
  return {
    server: someProbe(url, 'GET', null),
    browser: [someProbe(url, 'GET', 'https://svc.test')],
    preflight: withProbability(0.5)
      ? { missing: { code: 'not-requested', flag: null } }
      : someProbe(url, 'OPTIONS', 'https://svc.test'),
    head: withProbability(0.5) ? { missing: { code: 'not-requested', flag: null } } : someProbe(url, 'HEAD', null),
  };
}

test('no message about generated responses contains an unusable phrase', () => {
  const rules = new Set<string>();
  const found = new Map<string, string>();
  for (let run = 0; run < runs(400); run += 1) {
    const facts = snapshot(['a', 'b'], { a: metadataWith('1.0.0', '1.1.0'), b: metadataWith('2.0.0') });
    const url = `${BASE}registry.json`;
    facts.origins = pick<string[]>([], ['https://svc.test']);
    facts.seenAt = NOW;
    facts.manifest.url = url;
    facts.manifest.web = randomViews(url);
    for (const app of facts.apps) {
      app.metadata.web = randomViews(app.metadata.url ?? url);
      app.icon.web = randomViews(app.icon.url ?? url);
      app.artifacts = app.artifacts.map((seen) => ({ ...artifact(), ...seen, web: randomViews(seen.url ?? url) }));
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

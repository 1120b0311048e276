import type { Failure, Hop, TlsFacts, Probe, HttpViews } from '../../src/core/facts/facts.ts';

/** Facts about answers, for the tables of rules. */

export const ADDRESS = 'https://apps.example.com/registry.json';
export const NOW = '2026-11-21T12:00:00.000Z';
export const ORIGIN = 'https://svc.test';

export function hop(headers: Record<string, string> | [string, string][] = {}, more: Partial<Hop> = {}): Hop {
  const list = Array.isArray(headers) ? headers : Object.entries(headers);
  return { url: ADDRESS, status: 200, headers: list, address: '192.0.2.1', tls: null, ...more };
}

export function probe(hops: Hop | Hop[] = hop(), more: Partial<Probe> = {}): Probe {
  return {
    method: 'GET',
    origin: null,
    hops: Array.isArray(hops) ? hops : [hops],
    failure: null,
    attempts: 1,
    retryAfterMs: 0,
    ...more,
  };
}

/** A probe that failed before a status came. */
export function failed(
  phase: Failure['phase'],
  code: string,
  more: Partial<Failure> = {},
  last: Partial<Hop> = {},
): Probe {
  const status = phase === 'body' || phase === 'decode' || phase === 'size' ? 200 : 0;
  return probe(hop({}, { status, ...last }), {
    failure: { phase, code, message: code, url: ADDRESS, got: null, expected: null, ...more },
  });
}

export function web(service: Probe = probe(), more: Partial<HttpViews> = {}): HttpViews {
  return {
    server: service,
    browser: [],
    preflight: { missing: { code: 'not-requested', flag: null } },
    head: { missing: { code: 'not-requested', flag: null } },
    ...more,
  };
}

/** A GET as the browser sends it from `origin`, answered with these headers. */
export function browser(headers: Record<string, string> | [string, string][] | Hop[], origin: string = ORIGIN): Probe {
  const hops =
    Array.isArray(headers) && headers.length > 0 && !Array.isArray(headers[0])
      ? (headers as Hop[])
      : [hop(headers as Record<string, string>)];
  return probe(hops, { origin });
}

export function tls(more: Partial<TlsFacts> = {}): TlsFacts {
  return {
    protocol: 'TLSv1.3',
    subject: 'CN=apps.example.com',
    names: ['apps.example.com'],
    issuer: 'CN=Example CA',
    notBefore: '2026-10-01T00:00:00.000Z',
    notAfter: '2027-02-01T00:00:00.000Z',
    fingerprint256: 'AA:BB',
    chainLength: 3,
    privateCa: false,
    ...more,
  };
}

export function acao(value: string, more: Record<string, string> = {}): Record<string, string> {
  return { 'access-control-allow-origin': value, ...more };
}

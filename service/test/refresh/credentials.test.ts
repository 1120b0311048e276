import { describe, expect, test } from 'vitest';
import type { DocumentFacts, Failure, Missing, Probe } from '../../../src/core/facts/facts.ts';
import { isMissing } from '../../../src/core/facts/facts.ts';
import { startJudging } from '../../../src/core/engine/judge.ts';
import { redactNetworkOfDocument } from '../../src/domain/hidden-network.ts';

/** Subscribers get the same text, regardless of how far the service got in the operator's network. */

const URL = 'https://inside.example/registry.json';

function document(code: string, phase: Failure['phase'], more: Partial<Probe> = {}): DocumentFacts {
  const service: Probe = {
    method: 'GET',
    origin: null,
    hops: [
      {
        url: URL,
        status: 0,
        headers: [],
        address: '10.0.0.7',
        tls: null,
        failedAddresses: [{ address: '10.0.0.8', code: 'X' }],
      },
    ],
    failure: { phase, code, message: `connect ${code} 10.0.0.7:443`, url: URL, got: null, expected: null },
    attempts: 2,
    retryAfterMs: 0,
    retriedErrors: [code],
    ...more,
  };
  const absent: Missing = { missing: { code: 'blocked-by', rule: 'unreachable' } };
  return {
    url: URL,
    file: null,
    web: { server: service, browser: [], preflight: absent, head: absent },
    content: absent,
  };
}

function reported(facts: DocumentFacts): string {
  const judging = startJudging({ command: 'verify', target: URL, now: '2026-01-01T00:00:00Z' });
  judging.manifest(facts);
  return JSON.stringify(judging.finish(0));
}

describe('a host that cannot be reached', () => {
  const CASES: [string, Failure['phase']][] = [
    ['ENOTFOUND', 'dns'],
    ['ETIMEOUT', 'dns'],
    ['ADDRESS_REFUSED', 'dns'],
    ['ADDRESS_REFUSED', 'connect'],
    ['ECONNREFUSED', 'connect'],
    ['EHOSTUNREACH', 'connect'],
    ['CONNECT_TIMEOUT', 'connect'],
  ];
  test('is reported with the same text for every reason', () => {
    const codes: string[] = [];
    const reports = CASES.map(([code, phase], i) =>
      reported(
        redactNetworkOfDocument(document(code, phase, { attempts: 1 + (i % 3) }), (failure) =>
          codes.push(failure.code),
        ),
      ),
    );
    expect(new Set(reports).size).toBe(1);
    expect(reports[0]).toContain('could not be reached from the service');
    expect(reports[0]).not.toMatch(/10\.0\.0|was refused|ECONN|ENOTFOUND/);
    expect(codes).toEqual(CASES.map(([code]) => code));
  });

  test('is reported with the same text after a redirect, with the hops before it', () => {
    const first = { url: URL, status: 302, headers: [], address: '8.8.8.8', tls: null };
    const second = { url: 'https://10.0.0.7/', status: 0, headers: [], address: null, tls: null };
    const seen = redactNetworkOfDocument(document('ADDRESS_REFUSED', 'connect', { hops: [first, second] }), () => {});
    const report = reported(seen);
    expect(report).toContain('not-reached');
    expect(isMissing(seen.web) ? [] : seen.web.server.hops.map(({ address }) => address)).toEqual(['8.8.8.8', null]);
  });
});

describe('a failure that is visible from the URL', () => {
  test.each([
    ['PORT_REFUSED', 'port-refused'],
    ['INSECURE_REFUSED', 'Serve it over HTTPS'],
  ])('is reported: %s', (code, word) => {
    const facts = document(code, 'connect');
    if (code === 'INSECURE_REFUSED') facts.url = 'http://inside.example/registry.json';
    expect(reported(redactNetworkOfDocument(facts, () => {}))).toContain(word);
  });
});

test('a response is preserved, except for internal addresses', () => {
  const hop = { url: URL, status: 404, headers: [] as [string, string][], address: '127.0.0.1', tls: null };
  const seen = redactNetworkOfDocument(document('X', 'headers', { hops: [hop], failure: null, attempts: 1 }), () => {});
  const report = reported(seen);
  expect(report).toContain('status-404');
  expect(report).not.toContain('127.0.0.1');
});

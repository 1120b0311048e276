import { describe, expect, test } from 'vitest';
import type { Probe } from '../../../src/core/facts/facts.ts';
import { openHttpClient } from '../../../src/observe/http/client.ts';
import type { ProbeRequest } from '../../../src/observe/http/request.ts';
import { answer, delayed, inTurn, openFaultHost } from '../../support/fault-host.ts';
import { openHosts, probe, QUICK } from './client-fixture.ts';

/** Which responses are retried, how long the client waits, and how many requests run in parallel. */

const { host } = await openHosts();

describe('retries', () => {
  test.each([500, 502, 503, 504, 429])('are made for status %i', async (status) => {
    const { seen, body } = await probe(
      host.on('/again', inTurn(answer({ status }), answer({ status }), answer({ body: 'hello' }))),
    );
    expect(seen).toMatchObject({ failure: null, attempts: 3, retriedErrors: [`status ${status}`, `status ${status}`] });
    expect(body).toBe('hello');
  });

  test.each([400, 401, 403, 404, 410, 451])('are not made for status %i', async (status) => {
    const { seen, last } = await probe(host.on('/no', answer({ status, body: 'why not' })));
    expect(seen).toMatchObject({ failure: null, attempts: 1 });
    expect(last).toMatchObject({ status, excerpt: 'why not' });
  });

  test('end after three attempts', async () => {
    const { seen } = await probe(host.on('/never', answer({ status: 500 })));
    expect(seen.attempts).toBe(3);
    expect(host.requestsFor('/never')).toHaveLength(3);
  });

  test('wait for the time in Retry-After', async () => {
    const { seen } = await probe(
      host.on('/wait', inTurn(answer({ status: 429, headers: { 'Retry-After': '1' } }), answer({ body: 'ok' }))),
    );
    expect(seen).toMatchObject({ attempts: 2, retryAfterMs: 1000, failure: null });
  });

  test('are not made if Retry-After exceeds the limit', async () => {
    const { seen, last } = await probe(host.on('/day', answer({ status: 429, headers: { 'Retry-After': '86400' } })));
    expect(seen).toMatchObject({ attempts: 1, retryAfterMs: 0 });
    expect(last.status).toBe(429);
  });

  test.each(['-5', 'abc', 'Sun, 06 Nov 1994 08:49:37 GMT'])('ignore the invalid Retry-After: %s', async (value) => {
    const { seen } = await probe(
      host.on('/invalid', inTurn(answer({ status: 503, headers: { 'Retry-After': value } }), answer())),
    );
    expect(seen).toMatchObject({ attempts: 2, retryAfterMs: 0 });
  });

  test('are not made for OPTIONS and HEAD with status 501', async () => {
    host.on('/static', answer({ status: 501 }));
    expect((await probe(`${host.origin}/static`, { method: 'OPTIONS' })).seen.attempts).toBe(1);
    expect((await probe(`${host.origin}/static`, { method: 'HEAD' })).seen.attempts).toBe(1);
  });

  test('replace an idle connection that the host closed', async () => {
    const http = openHttpClient({ ...QUICK, concurrency: 1 });
    const ask: ProbeRequest = {
      method: 'GET',
      url: host.on('/rest', (request, socket) => {
        // The second request of a connection meets a reset.
        if (host.requests.filter((r) => r.connection === request.connection).length > 1) socket.resetAndDestroy();
        else return answer({ body: 'ok' })(request, socket);
      }),
      origin: null,
      accept: '*/*',
      total: 20_000,
    };
    for (let i = 0; i < 3; i += 1) expect(await http.probe(ask)).toMatchObject({ failure: null, attempts: 1 });
    await http.close();
  });

  test('do not connect again to a host that refuses connections', async () => {
    const gone = await openFaultHost();
    await gone.close();
    const http = openHttpClient({ ...QUICK, retries: 0 });
    const seen: Probe[] = [];
    for (let i = 0; i < 5; i += 1)
      seen.push(
        await http.probe({ method: 'GET', url: `${gone.origin}/${i}`, origin: null, accept: '*/*', total: 20_000 }),
      );
    expect(seen.map((v) => v.failure?.code)).toEqual(Array.from({ length: 5 }, () => 'ECONNREFUSED'));
    expect(seen[4]!.failure!.url).toBe(`${gone.origin}/4`);
    await http.close();
  });
});

describe('concurrency', () => {
  test('is limited, and all requests are sent', async () => {
    const http = openHttpClient({ ...QUICK, concurrency: 3 });
    const url = host.on('/slow', delayed(10, answer({ body: 'ok' })));
    const seen = await Promise.all(
      Array.from({ length: 20 }, () => http.probe({ method: 'GET', url, origin: null, accept: '*/*', total: 20_000 })),
    );
    await http.close();
    expect(seen.every((v) => v.failure === null)).toBe(true);
    expect(host.peak).toBe(3);
    expect(new Set(host.requests.map((r) => r.connection)).size).toBe(3);
  });

  test('does not count the time in the queue as request time', async () => {
    const http = openHttpClient({ ...QUICK, concurrency: 1 });
    const url = host.on('/queue', delayed(500, answer({ body: 'ok' })));
    const seen = await Promise.all(
      Array.from({ length: 6 }, () => http.probe({ method: 'GET', url, origin: null, accept: '*/*', total: 2000 })),
    );
    await http.close();
    expect(seen.map((v) => v.failure)).toEqual(Array.from({ length: 6 }, () => null));
  });
});

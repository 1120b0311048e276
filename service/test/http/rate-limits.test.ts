import { expect, test } from 'vitest';
import { limitHeaders, openLimiter } from '../../src/http/rate-limits.ts';
import { allowing, openWebFixture } from '../web-fixture.ts';

const PER_MINUTE = { requests: 60, seconds: 60 };

test('a limit allows a burst, then one request a second, and the burst again after a pause', () => {
  let now = 0;
  const limiter = openLimiter(PER_MINUTE, () => now);
  const burst = Array.from({ length: 61 }, () => limiter.take('a'));
  expect(burst.filter(({ allowed }) => allowed)).toHaveLength(60);
  expect(burst[0]).toEqual({ allowed: true, remaining: 59, wait: 1 });
  expect(burst[60]).toEqual({ allowed: false, remaining: 0, wait: 1 });
  now = 999;
  expect(limiter.take('a').allowed).toBe(false);
  now = 1000;
  expect(limiter.take('a').allowed).toBe(true);
  expect(limiter.take('a').allowed).toBe(false);
  now = 120_000;
  expect(limiter.take('a')).toMatchObject({ allowed: true, remaining: 59 });
});

test('a refused request does not count, so that a client that retries is not blocked for longer', () => {
  let now = 0;
  const limiter = openLimiter({ requests: 1, seconds: 10 }, () => now);
  expect(limiter.take('a').allowed).toBe(true);
  for (now = 0; now < 10_000; now += 100) expect(limiter.take('a').allowed).toBe(false);
  expect(limiter.take('a').allowed).toBe(true);
});

test('each client has its own limit', () => {
  const limiter = openLimiter({ requests: 1, seconds: 60 }, () => 0);
  expect(['a', 'b', 'a', '__proto__', '__proto__'].map((who) => limiter.take(who).allowed)).toEqual([
    true,
    true,
    false,
    true,
    false,
  ]);
});

test('many clients use limited memory, and the busiest client is not forgotten', () => {
  const limiter = openLimiter({ requests: 2, seconds: 1e6 }, () => 0);
  limiter.take('busy');
  limiter.take('busy');
  for (let i = 0; i < 200_000; i++) {
    limiter.take(`client ${i}`);
    if (i % 10_000 === 0) expect(limiter.take('busy').allowed).toBe(false);
  }
  expect(limiter.size()).toBeLessThanOrEqual(100_000);
});

test('a client receives its remaining requests in headers', () => {
  expect(limitHeaders('reads', PER_MINUTE, { allowed: true, remaining: 3, wait: 57 })).toEqual({
    'ratelimit-policy': '"reads";q=60;w=60',
    ratelimit: '"reads";r=3;t=57',
  });
  expect(limitHeaders('reads', PER_MINUTE, { allowed: false, remaining: 0, wait: 1 })).toMatchObject({
    'retry-after': '1',
  });
});

test('the API and the pages count the requests of a client together', async () => {
  const web = await openWebFixture();
  try {
    const app = web.app({ openSignUp: true }, allowing(2));
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
    const byPage = (path: string, body: string) => app.request(path, { method: 'POST', headers: form, body });
    const byApi = (path: string, init: RequestInit) => app.request(path, init);
    const body = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"A"}' };
    const signUps = [await byApi('/api/organizations', body), await byPage('/sign-up', 'name=A')];
    expect(signUps.map(({ status }) => status)).toEqual([201, 200]);
    expect((await byPage('/sign-up', 'name=A')).status).toBe(429);
    expect((await byApi('/api/organizations', body)).status).toBe(429);
    const invalid = { headers: { authorization: 'Bearer apr_wrong' } };
    const failures = [await byPage('/sign-in', 'token=wrong'), await byApi('/api/apps', invalid)];
    expect(failures.map(({ status }) => status)).toEqual([403, 401]);
    expect((await byApi('/api/apps', invalid)).status).toBe(429);
    expect((await byPage('/sign-in', 'token=wrong')).status).toBe(429);
  } finally {
    await web.stop();
  }
});

import { expect, test } from 'vitest';
import { limitHeaders, openLimiter } from '../../../src/service/http/rate-limits.ts';

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

import { STATUS_CODES } from 'node:http';
import { expect, test } from 'vitest';
import { statusAdvice } from '../../../../src/core/rules/http/unreachable/status-advice.ts';

// Of products, and outside the registry of statuses.
const OTHERS = [
  306, 418, 419, 420, 430, 444, 449, 450, 460, 463, 494, 495, 497, 498, 499, 509, 520, 521, 522, 523, 524, 525, 526,
  527, 529, 530, 561, 598, 599, 600, 999,
];
const STATUSES = [...Object.keys(STATUS_CODES).map(Number), ...OTHERS].filter((status) => status >= 200);

test.each(STATUSES)('status %d has a meaning and advice', (status) => {
  const { means, advice } = statusAdvice(status);
  expect(means).toMatch(/^[\w ,;:()./–-]{10,}$/);
  expect(advice).toMatch(/^[A-Z].{10,}\.$/);
  // Advice never names another status.
  for (const [named] of `${means} ${advice}`.matchAll(/\b[2-9]\d\d\b/g))
    expect([String(status), '200']).toContain(named);
});

test.each([
  [402, /payment/],
  [409, /conflict/],
  [418, /firewall/],
  [426, /HTTP\/1\.1/],
  [508, /loop/],
  [525, /TLS/],
  [999, /automated/],
])('status %d', (status, expected) => {
  const { means, advice } = statusAdvice(status);
  expect(`${means} ${advice}`).toMatch(expected);
});

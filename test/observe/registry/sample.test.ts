import { expect, test } from 'vitest';
import type { Missing, Probe } from '../../../src/core/facts/facts.ts';
import { type Methods, Sample } from '../../../src/observe/registry/sample.ts';

const ORIGIN = 'https://service.test';

function probe(method: Probe['method'], status: number, headers: [string, string][] = []): Probe {
  const hop = { url: 'https://host.test/file', status, headers, address: null, tls: null };
  const origin = method === 'OPTIONS' ? ORIGIN : null;
  const fields = method === 'OPTIONS' ? { requestedHeaders: ['x-probe'] } : {};
  return { method, origin, hops: [hop], failure: null, attempts: 1, retryAfterMs: 0, ...fields };
}

const GET = probe('GET', 200, [['content-length', '7']]);
const WELL: Methods = {
  head: probe('HEAD', 200, [['content-length', '7']]),
  preflight: probe('OPTIONS', 204, [
    ['access-control-allow-origin', '*'],
    ['access-control-allow-headers', '*'],
  ]),
};

/** The numbers of the resources that are requested with HEAD and OPTIONS, if all are observed in parallel. */
async function requested(
  count: number,
  answer: (number: number) => Methods,
  kind: (number: number) => string = () => 'icon',
) {
  const sample = new Sample();
  const numbers: number[] = [];
  const seen = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      sample.take(kind(i), GET, async () => {
        numbers.push(i);
        await Promise.resolve();
        return { facts: answer(i) };
      }),
    ),
  );
  for (const [i, outcome] of seen.entries()) expect(outcome).toEqual(numbers.includes(i) ? { facts: answer(i) } : null);
  return numbers.toSorted((a, b) => a - b);
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

test('after twenty good responses, only one in ten of the other resources is requested', async () => {
  expect(await requested(20, () => WELL)).toEqual(upTo(20));
  expect(await requested(52, () => WELL)).toEqual([...upTo(20), 20, 30, 40, 50]);
});

test('each kind of resource is sampled separately', async () => {
  expect(
    await requested(
      30,
      () => WELL,
      (i) => (i % 2 === 0 ? 'icon' : 'metadata'),
    ),
  ).toEqual(upTo(30));
});

test.each<[string, Partial<Methods>]>([
  ['HEAD is refused', { head: probe('HEAD', 405) }],
  ['HEAD names another length', { head: probe('HEAD', 200, [['content-length', '8']]) }],
  ['HEAD was answered at the second attempt', { head: { ...probe('HEAD', 200), attempts: 2 } }],
  ['HEAD was not requested', { head: { missing: { code: 'not-requested', flag: null } } }],
  ['the preflight is refused', { preflight: probe('OPTIONS', 403) }],
  [
    'the preflight lets no header through',
    { preflight: probe('OPTIONS', 204, [['access-control-allow-origin', '*']]) },
  ],
  ['the preflight of a redirect is refused', { preflights: [probe('OPTIONS', 204)] }],
])('all resources are requested if one of the first twenty has a fault: %s', async (_, part) => {
  expect(await requested(60, (i) => (i === 19 ? { ...WELL, ...part } : WELL))).toEqual(upTo(60));
});

test('a preflight that browsers do not send counts as a good response', async () => {
  const preflight: Missing = { missing: { code: 'not-requested', flag: null }, intentional: true };
  expect(await requested(30, () => ({ ...WELL, preflight }))).toEqual([...upTo(20), 20]);
});

import { expect, test } from 'vitest';
import type { Missing, Probe } from '../../../src/core/facts/facts.ts';
import { type Methods, openSample, SAMPLED } from '../../../src/observe/registry/sampling.ts';

const ORIGIN = 'https://service.test';

function probe(method: Probe['method'], status: number, headers: [string, string][] = []): Probe {
  const hop = { url: 'https://host.test/file', status, headers, address: null, tls: null };
  const origin = method === 'OPTIONS' ? ORIGIN : null;
  const asked = method === 'OPTIONS' ? { requestedHeaders: ['x-probe'] } : {};
  return { method, origin, hops: [hop], failure: null, attempts: 1, retryAfterMs: 0, ...asked };
}

const GET = probe('GET', 200, [['content-length', '7']]);
const WELL: Methods = {
  head: probe('HEAD', 200, [['content-length', '7']]),
  preflight: probe('OPTIONS', 204, [
    ['access-control-allow-origin', '*'],
    ['access-control-allow-headers', '*'],
  ]),
};

/** Which of so many resources, begun all at once, are asked. */
async function asked(
  count: number,
  answer: (number: number) => Methods,
  kind: (number: number) => string = () => 'icon',
) {
  const sample = openSample();
  const numbers: number[] = [];
  const seen = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      sample.methods(kind(i), GET, async () => {
        numbers.push(i);
        await Promise.resolve();
        return answer(i);
      }),
    ),
  );
  for (const [i, methods] of seen.entries())
    expect(methods).toEqual(numbers.includes(i) ? answer(i) : { head: SAMPLED, preflight: SAMPLED });
  return numbers.toSorted((a, b) => a - b);
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

test('twenty that answer well speak for nine in ten of the others', async () => {
  expect(await asked(20, () => WELL)).toEqual(upTo(20));
  expect(await asked(52, () => WELL)).toEqual([...upTo(20), 20, 30, 40, 50]);
});

test('kinds of resources do not speak for each other', async () => {
  expect(
    await asked(
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
  ['HEAD was not asked', { head: { missing: { code: 'not-requested', flag: null } } }],
  ['the preflight is refused', { preflight: probe('OPTIONS', 403) }],
  [
    'the preflight lets no header through',
    { preflight: probe('OPTIONS', 204, [['access-control-allow-origin', '*']]) },
  ],
  ['the preflight of a redirect is refused', { preflights: [probe('OPTIONS', 204)] }],
])('where of one of the first %s, all are asked', async (_, part) => {
  expect(await asked(60, (i) => (i === 19 ? { ...WELL, ...part } : WELL))).toEqual(upTo(60));
});

test('a browser that sends no preflight to its own origin is no fault', async () => {
  const preflight: Missing = { missing: { code: 'not-requested', flag: null }, intentional: true };
  expect(await asked(30, () => ({ ...WELL, preflight }))).toEqual([...upTo(20), 20]);
});

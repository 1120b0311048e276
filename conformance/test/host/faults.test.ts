// Scenario: hosts with each fault in turn run all cases of the kit.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runHostCases } from '../../src/host/run.ts';
import { writeFixtures } from '../../src/host/fixtures.ts';
import { casesOf } from '../../src/sets.ts';
import { folder } from '../../../test/support/folders.ts';
import { type Fault, type FaultyHost, openFaultyHost } from './faulty-host.ts';
import { FAULTS } from './faults.ts';
import table from './fault-table.json' with { type: 'json' };

/** A host with one fault fails exactly the cases that are about it; those about connections are in connections.test.ts. */

const judged = casesOf(1, 'host').filter(
  ({ id, level, script }) =>
    level !== 'unspecified' &&
    script.connection === undefined &&
    id !== 'certificate-lifetime' &&
    id !== 'redirect-to-https',
);
const correct: Fault = (exchange) => exchange.correct();
const expected = new Map(Object.entries(table));
let fault = correct;
let host: FaultyHost;

beforeAll(async () => {
  const root = folder();
  await writeFixtures(root);
  host = await openFaultyHost(root, () => fault);
});
afterAll(() => host.close());

async function failures(): Promise<string[]> {
  const observations = await runHostCases(judged, { url: host.url });
  expect(observations.filter(({ verdict }) => verdict === 'harness-error')).toEqual([]);
  return observations.flatMap(({ id, verdict }) => (verdict === 'fail' ? [id] : [])).toSorted();
}

test('a host without a fault passes all cases', async () => {
  fault = correct;
  expect(await failures()).toEqual([]);
});

describe('a host with a fault fails the cases about it, and no others', () => {
  test.each(FAULTS)('$name', async (one) => {
    fault = one.fault;
    const found = await failures();
    expect(found).toEqual(expected.get(one.name));
    expect(found.length).toBeGreaterThan(0);
  });
});

test('the table names each fault, and each case fails because of one', () => {
  expect([...expected.keys()]).toEqual(FAULTS.map(({ name }) => name));
  const failing = new Set([...expected.values()].flat());
  expect(judged.map(({ id }) => id).filter((id) => !failing.has(id))).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import { openAuthority, openHosts } from '../src/subscriber/hosts.ts';
import { needsOf, filesOf } from '../src/subscriber/run.ts';
import { CASES } from './subscriber-fixture.ts';

/** The cases for subscribers, as data. */

test('there are at least 60 cases, each with an expectation for each of its verbs', () => {
  expect(CASES.length).toBeGreaterThanOrEqual(60);
  const verbs = CASES.map(({ script }) => script.filter(({ subscribe, refresh }) => subscribe ?? refresh).length);
  expect(CASES.filter(({ expect: { length } }, index) => length !== verbs[index]).map(({ id }) => id)).toEqual([]);
});

test('judged cases expect something of their last verb, and unspecified ones nothing', () => {
  const isJudged = CASES.map(({ expect: expected }) => Object.keys(expected.at(-1) ?? {}).length > 0);
  const wrong = CASES.filter(({ level }, index) => isJudged[index] !== (level !== 'unspecified'));
  expect(wrong.map(({ id }) => id)).toEqual([]);
});

test('a refused version of a required case is accompanied by an offered one, so that offering nothing fails', () => {
  const nothing = CASES.filter(
    ({ level, expect: expected }) =>
      level === 'required' &&
      expected.every(({ apps = {} }) => Object.values(apps).every((versions) => !Object.values(versions ?? {}).length)),
  );
  // The registry as a whole cannot be used.
  for (const { id } of nothing) expect(id).toMatch(/^(manifest|certificate|redirect-manifest)-/);
});

describe('texts of scripts', () => {
  test('name only what the kit knows', async () => {
    const authority = await openAuthority(new Date());
    const files = await filesOf(1);
    for (const { id, script } of CASES) {
      const hosts = await openHosts([{ serve: files }, ...script], authority);
      try {
        hosts.serve(files);
        for (const { serve } of script) if (serve) hosts.serve(serve);
        expect(hosts.redact(hosts.expand('{registry}/ {secret}')), id).toBe('<registry>/ <secret>');
      } finally {
        await hosts.close();
      }
    }
  });
});

test('cases that move the clock, and those about the highest version, can be left out', () => {
  expect(needing('clock')).toBeGreaterThan(2);
  expect(needing('latest')).toBeGreaterThan(2);
});

function needing(ability: 'clock' | 'latest'): number {
  return CASES.filter((one) => needsOf(one).includes(ability)).length;
}

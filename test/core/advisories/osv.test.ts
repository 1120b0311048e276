import { describe, expect, test } from 'vitest';
import { advisoryIn, affects, vulnerablePackages } from '../../../src/core/advisories/osv.ts';
import type { JsonValue } from '../../../src/core/json/json.ts';
import { osvRecord } from '../../support/materials.ts';

/** A record about the package a with these parts. */
function record(affected: object, more: object = {}): JsonValue {
  return osvRecord('X-1', 'a', null, {
    affected: [{ package: { ecosystem: 'npm', name: 'a' }, ...affected }],
    ...more,
  });
}

function isAffected(value: JsonValue, version: string, name = 'a'): boolean {
  const advisory = advisoryIn(value);
  if (advisory === null) throw new Error('it is not a record');
  return affects(advisory, name, version) !== null;
}

const range = (...events: object[]): object => ({ ranges: [{ type: 'SEMVER', events }] });

describe('a version is affected', () => {
  test.each<[name: string, affected: object, versions: Record<string, boolean>]>([
    [
      'from the introduced to below the fixed version',
      range({ introduced: '1.0.0' }, { fixed: '2.0.0' }),
      { '0.9.9': false, '1.0.0': true, '1.10.0': true, '2.0.0-rc.1': true, '2.0.0': false, '3.0.0': false },
    ],
    ['from the first version on', range({ introduced: '0' }), { '0.0.0-a': true, '99.0.0': true }],
    [
      'up to the last affected one',
      range({ introduced: '0' }, { last_affected: '1.2.3' }),
      { '1.2.3': true, '1.2.4': false, '1.2.4-a': false },
    ],
    [
      'in several branches, whatever the order of events',
      range({ fixed: '2.1.0' }, { introduced: '2.0.0' }, { fixed: '1.5.0' }, { introduced: '0' }),
      { '1.4.0': true, '1.5.0': false, '1.9.0': false, '2.0.0': true, '2.1.0': false },
    ],
    [
      'in several ranges',
      {
        ranges: [
          { type: 'SEMVER', events: [{ introduced: '3.0.0' }] },
          { type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.0.0' }] },
        ],
      },
      { '0.1.0': true, '2.0.0': false, '3.1.0': true },
    ],
    ['within the limits', range({ introduced: '0' }, { limit: '2.0.0' }), { '1.0.0': true, '2.0.0': false }],
    ['without a limit', range({ introduced: '0' }, { limit: '*' }), { '9.0.0': true }],
    [
      'if it is listed',
      { versions: ['1.0.0', '1.0.0-weird!'] },
      { '1.0.0': true, '1.0.1': false, '1.0.0-weird!': true },
    ],
    [
      'by numbers beyond 2^53',
      range({ introduced: '0' }, { fixed: '9007199254740993.0.0' }),
      { '9007199254740992.0.0': true, '9007199254740993.0.0': false },
    ],
    ['not by commits', { ranges: [{ type: 'GIT', events: [{ introduced: '0' }] }] }, { '1.0.0': false }],
    ['not by events that are no versions', range({ introduced: 'x' }, { introduced: 7 }), { '1.0.0': false }],
    ['not if it is no version itself', range({ introduced: '0' }), { latest: false }],
    ['not by nothing', {}, { '1.0.0': false }],
  ])('%s', (_, affected, versions) => {
    for (const [version, expected] of Object.entries(versions))
      expect([version, isAffected(record(affected), version)]).toEqual([version, expected]);
  });

  test('only if the package is that of npm, and the record is not withdrawn', () => {
    expect(isAffected(record(range({ introduced: '0' })), '1.0.0', 'A')).toBe(false);
    expect(isAffected(record(range({ introduced: '0' }), { withdrawn: '2026-01-01T00:00:00Z' }), '1.0.0')).toBe(false);
    const other = { affected: [{ package: { ecosystem: 'PyPI', name: 'a' }, ...range({ introduced: '0' }) }] };
    expect(isAffected(osvRecord('X-1', 'a', null, other), '1.0.0')).toBe(false);
  });

  test('with the higher versions in which it is fixed', () => {
    const advisory = advisoryIn(
      record({
        ranges: [
          {
            type: 'SEMVER',
            events: [{ introduced: '0' }, { fixed: '1.2.0' }, { introduced: '2.0.0' }, { fixed: '2.10.0' }],
          },
        ],
      }),
    );
    expect(advisory && affects(advisory, 'a', '1.1.0')).toEqual({ fixed: ['1.2.0', '2.10.0'] });
    expect(advisory && affects(advisory, 'a', '2.9.0')).toEqual({ fixed: ['2.10.0'] });
  });
});

test.each([null, [], 'x', {}, { id: 'X' }, { id: '', modified: 'x' }, { id: 7, modified: 'x' }, { modified: 'x' }])(
  '%j is not a record',
  (value) => {
    expect(advisoryIn(value)).toBeNull();
  },
);

test('a record with other types than those of the format affects nothing', () => {
  const odd = {
    id: 'X',
    modified: 'x',
    aliases: [1, 'Y'],
    summary: 7,
    affected: [
      1,
      { package: 'a', ranges: 7 },
      { package: { ecosystem: 'npm', name: 'a' }, versions: 'x', ranges: [{ events: [null, 1] }] },
    ],
  };
  expect(advisoryIn(odd)).toMatchObject({ aliases: ['Y'], summary: '', severity: null });
  expect(isAffected(odd, '1.0.0')).toBe(false);
});

test('several records of one vulnerability are one, with all its names', () => {
  const records = [
    osvRecord('MAL-1', 'a', null, { aliases: ['GHSA-1'] }),
    osvRecord('GHSA-1', 'a', '2.0.0', { aliases: ['CVE-1'], database_specific: { severity: 'HIGH' } }),
    osvRecord('GHSA-2', 'a', '3.0.0'),
  ].flatMap((one) => advisoryIn(one) ?? []);
  const packages = [
    { name: 'a', version: '1.0.0' },
    { name: 'a', version: '3.0.0' },
  ];
  expect(vulnerablePackages(packages, () => records)).toEqual([
    {
      name: 'a',
      version: '1.0.0',
      advisories: [
        { id: 'GHSA-1', aliases: ['CVE-1', 'MAL-1'], summary: '', severity: 'high', fixed: ['2.0.0'] },
        { id: 'GHSA-2', aliases: [], summary: '', severity: null, fixed: ['3.0.0'] },
      ],
    },
    {
      name: 'a',
      version: '3.0.0',
      advisories: [{ id: 'MAL-1', aliases: ['GHSA-1'], summary: '', severity: null, fixed: [] }],
    },
  ]);
});

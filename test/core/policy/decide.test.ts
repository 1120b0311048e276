import { describe, expect, test } from 'vitest';
import type { RetirementReason } from '../../../src/core/about/about-document.ts';
import type { About } from '../../../src/core/about/about-file.ts';
import {
  type AttestationState,
  decideVersions,
  latestAllowed,
  type OfferedApp,
} from '../../../src/core/policy/decide.ts';
import { holdText } from '../../../src/core/policy/preview.ts';
import type { PolicyDocument } from '../../../src/core/policy/policy-document.ts';
import { policyOf } from '../../../src/core/policy/policy.ts';

const NOW = new Date('2026-11-24T12:00:00Z');

/** @param retired by version: the reason, and the version to use */
function about(retired: Record<string, [RetirementReason, string?]>): About {
  const versions = Object.entries(retired).map(([version, [reason, use = null]]) => {
    const deprecated = { reason, message: 'Old.', use, since: null };
    return [version, { published: null, notes: null, deprecated }] as const;
  });
  return { app: { homepage: null, source: null, licence: null, support: null }, versions: new Map(versions) };
}

/** @param versions each with the number of hours since its first sight, or null */
function clock(versions: Record<string, number | null>, more: Partial<OfferedApp> = {}): OfferedApp {
  return {
    key: 'clock',
    about: null,
    watchedSince: null,
    versions: Object.entries(versions).map(([version, hours]) => ({
      version,
      firstSeenAt: hours === null ? null : new Date(NOW.getTime() - hours * 3_600_000),
      attestation: 'off',
    })),
    ...more,
  };
}

/** By version: the line that holds it back, or null. */
function linesOf(fields: Omit<PolicyDocument, 'schema'>, app: OfferedApp): Record<string, string | null> {
  const decisions = decideVersions(policyOf({ schema: 1, ...fields }), app, NOW);
  return Object.fromEntries(decisions.map(({ version, hold }) => [version, hold?.line ?? null]));
}

function latestWith(fields: Omit<PolicyDocument, 'schema'>, app: OfferedApp): string | null {
  return latestAllowed(decideVersions(policyOf({ schema: 1, ...fields }), app, NOW), app.about);
}

function pointersWith(fields: Omit<PolicyDocument, 'schema'>): (string | undefined)[] {
  return decideVersions(policyOf({ schema: 1, ...fields }), THREE, NOW).map(({ hold }) => hold?.pointer);
}

const THREE = clock({ '1.1.0': 500, '1.2.0': 100, '2.0.0-rc.1': 1 });

test.each<[string, Omit<PolicyDocument, 'schema'>, Record<string, string | null>]>([
  ['nothing', {}, { '1.1.0': null, '1.2.0': null, '2.0.0-rc.1': null }],
  [
    'deny of a range',
    { deny: ['other', 'clock@<1.2.0'] },
    { '1.1.0': 'deny[1] "clock@<1.2.0"', '1.2.0': null, '2.0.0-rc.1': null },
  ],
  ['deny of a pattern', { deny: ['cl*@2.x'] }, { '1.1.0': null, '1.2.0': null, '2.0.0-rc.1': 'deny[0] "cl*@2.x"' }],
  ['allow of another app', { allow: ['other'] }, { '1.1.0': 'allow', '1.2.0': 'allow', '2.0.0-rc.1': 'allow' }],
  [
    'deny wins over allow',
    { allow: ['clock@1.x'], deny: ['*@1.2.0'] },
    { '1.1.0': null, '1.2.0': 'deny[0] "*@1.2.0"', '2.0.0-rc.1': 'allow' },
  ],
  [
    'a pin',
    { pin: { clock: '^1.2', other: '9.9.9' } },
    { '1.1.0': 'pin.clock "^1.2"', '1.2.0': null, '2.0.0-rc.1': 'pin.clock "^1.2"' },
  ],
  ['an age', { minimumAge: '4d' }, { '1.1.0': null, '1.2.0': null, '2.0.0-rc.1': 'minimumAge "4d"' }],
  ['an age to the hour', { minimumAge: '100h' }, { '1.1.0': null, '1.2.0': null, '2.0.0-rc.1': 'minimumAge "100h"' }],
  [
    'an age with an exclusion',
    { minimumAge: '101h', minimumAgeExclude: ['clock@2.x'] },
    { '1.1.0': null, '1.2.0': 'minimumAge "101h"', '2.0.0-rc.1': null },
  ],
  [
    'attestations',
    { requireAttestation: ['clock@>=1.2'] },
    {
      '1.1.0': null,
      '1.2.0': 'requireAttestation[0] "clock@>=1.2"',
      '2.0.0-rc.1': 'requireAttestation[0] "clock@>=1.2"',
    },
  ],
])('%s', (_, fields, expected) => {
  expect(linesOf(fields, THREE)).toEqual(expected);
});

test('an invalid version is only selected without a range', () => {
  const app = clock({ latest: 1 });
  expect(linesOf({ deny: ['clock@*'] }, app)).toEqual({ latest: null });
  expect(linesOf({ deny: ['clock'] }, app)).toEqual({ latest: 'deny[0] "clock"' });
  expect(linesOf({ allow: ['clock@*'] }, app)).toEqual({ latest: 'allow' });
});

test.each(['9007199254740992.0.0', '1.2.99999999999999999999-rc.1'])(
  '%s, which is not compared, is in each range that restricts, and in none that allows',
  (version) => {
    const app = clock({ [version]: 1 });
    const held = (line: string) => ({ [version]: line });
    expect(linesOf({ deny: ['clock@<1.2.0'] }, app)).toEqual(held('deny[0] "clock@<1.2.0"'));
    expect(linesOf({ deny: ['other@<1.2.0'] }, app)).toEqual({ [version]: null });
    expect(linesOf({ allow: ['clock@*'] }, app)).toEqual(held('allow'));
    expect(linesOf({ pin: { clock: '>=1' } }, app)).toEqual(held('pin.clock ">=1"'));
    expect(linesOf({ requireAttestation: ['clock@1.x'] }, app)).toEqual(held('requireAttestation[0] "clock@1.x"'));
    expect(linesOf({ minimumAge: '9d', minimumAgeExclude: ['clock@*'] }, app)).toEqual(held('minimumAge "9d"'));
  },
);

describe('age', () => {
  test('a version is offered once it is old enough, at the time that was said', () => {
    const policy = policyOf({ schema: 1, minimumAge: '3d' });
    const app = clock({ '1.0.0': 24 });
    const [decision] = decideVersions(policy, app, NOW);
    const at = new Date('2026-11-26T12:00:00Z');
    expect(decision?.hold).toEqual({
      cause: 'too-new',
      pointer: '/minimumAge',
      line: 'minimumAge "3d"',
      offeredAt: at,
    });
    expect(decideVersions(policy, app, new Date(at.getTime() - 1))[0]?.hold).not.toBeNull();
    expect(decideVersions(policy, app, at)[0]?.hold).toBeNull();
  });

  test('without memory, it is held back in strict mode for an unknown time', () => {
    const unknown = clock({ '1.0.0': null });
    const invalid = {
      ...unknown,
      versions: unknown.versions.map((one) => ({ ...one, firstSeenAt: new Date('soon') })),
    };
    for (const app of [unknown, invalid]) {
      const [decision] = decideVersions(policyOf({ schema: 1, minimumAge: '3d' }), app, NOW);
      expect(decision?.hold).toMatchObject({ cause: 'first-seen-unknown', offeredAt: null });
      expect(linesOf({ minimumAge: '3d', minimumAgeStrict: false }, app)).toEqual({ '1.0.0': null });
    }
  });

  test('versions that were there at the first look are as old as that look in strict mode only', () => {
    const app = clock({ '1.0.0': 10, '1.1.0': 9 }, { watchedSince: new Date(NOW.getTime() - 10 * 3_600_000) });
    const line = 'minimumAge "3d"';
    expect(linesOf({ minimumAge: '3d' }, app)).toEqual({ '1.0.0': line, '1.1.0': line });
    expect(linesOf({ minimumAge: '3d', minimumAgeStrict: false }, app)).toEqual({ '1.0.0': null, '1.1.0': line });
  });

  test('a line that time does not change is named first', () => {
    const app = clock({ '1.0.0': 1 });
    const [decision] = decideVersions(policyOf({ schema: 1, minimumAge: '3d', deny: ['*'] }), app, NOW);
    expect(decision?.hold).toMatchObject({ cause: 'denied', offeredAt: null });
  });
});

describe('retired versions', () => {
  const RETIRED = about({ '1.0.0': ['security', '1.0.1'], '1.0.1': ['broken', '1.0.2'], '1.1.0': ['superseded'] });
  const app = clock({ '1.0.0': 1, '1.0.1': 1, '1.0.2': 1, '1.1.0': 1, '1.2.0': 1 }, { about: RETIRED });

  test('are offered, except for the reasons that are not allowed', () => {
    const nothing = { '1.0.0': null, '1.0.1': null, '1.0.2': null, '1.1.0': null, '1.2.0': null };
    expect(linesOf({}, app)).toEqual(nothing);
    const line = 'allowDeprecated ["superseded","broken"]';
    expect(linesOf({ allowDeprecated: ['superseded', 'broken'] }, app)).toEqual({ ...nothing, '1.0.0': line });
    const none = 'allowDeprecated []';
    expect(linesOf({ allowDeprecated: [] }, app)).toEqual({ ...nothing, '1.0.0': none, '1.0.1': none, '1.1.0': none });
  });

  test('are offered to those who pin one version, not a range', () => {
    expect(linesOf({ allowDeprecated: [], pin: { clock: '1.0.0' } }, app)['1.0.0']).toBeNull();
    expect(linesOf({ allowDeprecated: [], pin: { clock: '1.0' } }, app)['1.0.0']).toBe('allowDeprecated []');
    expect(linesOf({ allowDeprecated: [], pin: { clock: '1.0.0' }, deny: ['*@1.0.0'] }, app)['1.0.0']).toContain(
      'deny',
    );
  });

  test('a replacement of an insecure version skips the age, if the policy says so', () => {
    const line = 'minimumAge "3d"';
    const held = { '1.0.0': line, '1.0.1': line, '1.0.2': line, '1.1.0': line, '1.2.0': line };
    expect(linesOf({ minimumAge: '3d' }, app)).toEqual(held);
    const fields = { minimumAge: '3d', minimumAgeExcludeSecurityFixes: true };
    expect(linesOf(fields, app)).toEqual({ ...held, '1.0.2': null });
    expect(linesOf({ ...fields, deny: ['*@1.0.2'] }, app)['1.0.2']).toBe('deny[0] "*@1.0.2"');
    const insecure = about({ '1.0.0': ['security', '1.0.1'], '1.0.1': ['security'] });
    expect(linesOf(fields, { ...app, about: insecure })).toEqual(held);
  });

  test('the latest is the highest that is offered, not an insecure one that is replaced', () => {
    expect(latestWith({}, app)).toBe('1.2.0');
    expect(latestWith({ deny: ['*@>=1.1'] }, app)).toBe('1.0.2');
    expect(latestWith({ deny: ['*'] }, app)).toBeNull();
    const insecure = { ...app, about: about({ '1.2.0': ['security', '1.1.0'] }) };
    expect(latestWith({}, insecure)).toBe('1.1.0');
    expect(latestWith({ deny: ['*@1.1.0'] }, insecure)).toBe('1.2.0');
  });
});

test.each<[AttestationState, string | null]>([
  ['verified', null],
  ['missing', 'requireAttestation[0] "*" requires an attestation, and its host has none.'],
  [
    'refused',
    'requireAttestation[0] "*" requires an attestation, and that of the version does not prove what is required.',
  ],
  ['pending', 'requireAttestation[0] "*" requires an attestation, which is not known yet.'],
  ['off', 'requireAttestation[0] "*" requires an attestation, and attestations are not fetched.'],
])('an attestation that is %s', (attestation, text) => {
  const app = { ...THREE, versions: THREE.versions.map((one) => ({ ...one, attestation })) };
  for (const { hold } of decideVersions(policyOf({ schema: 1, requireAttestation: ['*'] }), app, NOW))
    expect(hold === null ? null : holdText(hold)).toBe(text);
});

test.each<[Omit<PolicyDocument, 'schema'>, OfferedApp, string]>([
  [{ deny: ['*'] }, THREE, 'deny[0] "*" refuses it.'],
  [{ allow: ['a'] }, THREE, 'No entry of allow matches it.'],
  [{ pin: { clock: '9.x' } }, THREE, 'It is not in the range of pin.clock "9.x".'],
  [
    { allowDeprecated: [] },
    clock({ '1.0.0': 1 }, { about: about({ '1.0.0': ['legal'] }) }),
    'Its author retired it, for a reason that allowDeprecated [] does not allow.',
  ],
  [
    { minimumAge: '3d' },
    clock({ '1.0.0': 24 }),
    'It is younger than minimumAge "3d". It will be offered at 2026-11-26 12:00 UTC.',
  ],
  [{ minimumAge: '3d' }, clock({ '1.0.0': null }), 'minimumAge "3d" counts from its first sight, which is not known.'],
])('the reason of %j is a sentence', (fields, app, text) => {
  const [decision] = decideVersions(policyOf({ schema: 1, ...fields }), app, NOW);
  expect(decision?.hold && holdText(decision.hold)).toBe(text);
});

test('the pointer of a line', () => {
  expect(pointersWith({ deny: ['x', 'clock'] })[0]).toBe('/deny/1');
  expect(pointersWith({ pin: { clock: '9.x' } })[0]).toBe('/pin/clock');
  expect(pointersWith({ requireAttestation: ['x', 'clock'] })[0]).toBe('/requireAttestation/1');
});

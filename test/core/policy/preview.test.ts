import { expect, test } from 'vitest';
import type { Hold } from '../../../src/core/policy/decide.ts';
import { type AppDecisions, previewOf } from '../../../src/core/policy/preview.ts';

const HOLD: Hold = { cause: 'denied', pointer: '/deny/0', line: 'deny[0] "*"', offeredAt: null };

/** @param offered by version */
function app(key: string, offered: Record<string, boolean>): AppDecisions {
  const versions = Object.entries(offered).map(([version, isOffered]) => ({ version, hold: isOffered ? null : HOLD }));
  return { key, versions, latest: versions.findLast(({ hold }) => hold === null)?.version ?? null };
}

test('what is hidden and what appears', () => {
  const before = [app('clock', { '1.0.0': true, '1.1.0': false }), app('timer', { '1.0.0': true })];
  const after = [app('clock', { '1.0.0': false, '1.1.0': true }), app('timer', { '1.0.0': false })];
  expect(previewOf(before, after)).toEqual({
    hidden: [
      { key: 'clock', version: '1.0.0', hold: HOLD },
      { key: 'timer', version: '1.0.0', hold: HOLD },
    ],
    appearing: [{ key: 'clock', version: '1.1.0' }],
    hiddenApps: ['timer'],
    latest: [
      { key: 'clock', before: '1.0.0', after: '1.1.0' },
      { key: 'timer', before: '1.0.0', after: null },
    ],
    hidesEverything: false,
  });
});

test('the same decisions change nothing', () => {
  const same = [app('clock', { '1.0.0': true, '1.1.0': false })];
  expect(previewOf(same, same)).toEqual({
    hidden: [],
    appearing: [],
    hiddenApps: [],
    latest: [],
    hidesEverything: false,
  });
});

test('everything is hidden if nothing is offered, but not if there is nothing', () => {
  const before = [app('clock', { '1.0.0': true })];
  expect(previewOf(before, [app('clock', { '1.0.0': false })]).hidesEverything).toBe(true);
  expect(previewOf([], [app('clock', { '1.0.0': false })]).hidesEverything).toBe(true);
  expect(previewOf([], [app('clock', {})]).hidesEverything).toBe(false);
  expect(previewOf([], []).hidesEverything).toBe(false);
});

test('an app that was not known appears', () => {
  expect(previewOf([], [app('clock', { '1.0.0': true })])).toMatchObject({
    appearing: [{ key: 'clock', version: '1.0.0' }],
    latest: [{ key: 'clock', before: null, after: '1.0.0' }],
  });
});

import { describe, expect, test } from 'vitest';
import { type Ended, nextCheck } from '../../../src/service/refresh/schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ENDED_REFRESH: Ended = { now: 0, interval: HOUR, failures: 0, unfinished: false, took: 1000, random: 0 };

describe('the next check', () => {
  test.each<[string, Partial<Ended>, number]>([
    ['hourly', {}, HOUR],
    ['a little later, so that not all come at once', { random: 1 }, HOUR * 1.05],
    ['soon after the first failure', { failures: 1 }, 5 * MINUTE],
    ['a little later after the second', { failures: 2 }, 15 * MINUTE],
    ['hourly while it fails for a day', { failures: 24 }, HOUR],
    ['ever more rarely then', { failures: 26 }, 2 * HOUR],
    ['never more rarely than every six hours', { failures: 1000 }, 6 * HOUR],
    ['soon, where something was left', { unfinished: true }, MINUTE],
    ['where it took long, for no more than a fifth of the time', { unfinished: true, took: 4 * MINUTE }, 16 * MINUTE],
    ['within the hour all the same', { unfinished: true, took: HOUR }, HOUR],
  ])('is %s', (_, more, wait) => {
    expect(nextCheck({ ...ENDED_REFRESH, ...more })).toBe(wait);
  });
});

import { describe, expect, test } from 'vitest';
import { type EndedRefresh, nextCheckTime } from '../../src/domain/schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ENDED: EndedRefresh = {
  now: 0,
  interval: HOUR,
  failures: 0,
  unfinished: false,
  duration: 1000,
  random: 0,
};

describe('the next check', () => {
  test.each<[string, Partial<EndedRefresh>, number]>([
    ['in an hour', {}, HOUR],
    ['up to 5% later, so that checks are spread', { random: 1 }, HOUR * 1.05],
    ['soon after the first failure', { failures: 1 }, 5 * MINUTE],
    ['later after the second failure', { failures: 2 }, 15 * MINUTE],
    ['hourly on the first day of failures', { failures: 24 }, HOUR],
    ['less often after a day of failures', { failures: 26 }, 2 * HOUR],
    ['at least every six hours', { failures: 1000 }, 6 * HOUR],
    ['soon after an unfinished refresh', { unfinished: true }, MINUTE],
    [
      'later after a long unfinished refresh, so that it takes at most a fifth of the time',
      { unfinished: true, duration: 4 * MINUTE },
      16 * MINUTE,
    ],
    ['within an hour after a very long unfinished refresh', { unfinished: true, duration: HOUR }, HOUR],
  ])('is %s', (_, more, wait) => {
    expect(nextCheckTime({ ...ENDED, ...more })).toBe(wait);
  });
});

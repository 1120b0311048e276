import { describe, expect, test } from 'vitest';
import { RequestPace } from '../../../src/observe/http/request-pace.ts';

function answered(pace: RequestPace, count: number): number {
  for (let i = 0; i < count; i += 1) pace.answered();
  return pace.interval;
}

/** Refused until it is slowed down. */
function slowed(pace: RequestPace): number {
  for (let i = 0; i < 6 && !pace.refused(false); i += 1) pace.answered();
  return pace.interval;
}

describe('the interval between requests', () => {
  test('is 0 while requests are answered', () => {
    expect(answered(new RequestPace(), 100)).toBe(0);
  });
  test('is not changed by one refusal among answers, as of an intermittent host', () => {
    const pace = new RequestPace();
    for (let i = 0; i < 20; i += 1) {
      expect(pace.refused(false)).toBe(false);
      expect(answered(pace, 6)).toBe(0);
    }
  });
  test('doubles with two refusals of six requests, or with one that says that the rate is limited', () => {
    const pace = new RequestPace();
    expect(slowed(pace)).toBe(50);
    expect(slowed(pace)).toBe(100);
    expect(pace.refused(true)).toBe(true);
    expect(pace.interval).toBe(200);
  });
  test('is shortened with answers, not below one that was too short', () => {
    const pace = new RequestPace();
    slowed(pace);
    slowed(pace);
    expect(answered(pace, 10)).toBe(80);
    expect(answered(pace, 30)).toBe(62.5);
  });
  test('is 0 again after many answers', () => {
    const pace = new RequestPace();
    slowed(pace);
    expect(answered(pace, 500)).toBe(0);
  });
  test('does not exceed half a second, unless the host was seen to require more', () => {
    const pace = new RequestPace();
    for (let i = 0; i < 10; i += 1) pace.refused(true);
    expect(pace.interval).toBe(500);
    pace.slowTo(1600);
    expect(pace.interval).toBe(1600);
    pace.refused(true);
    expect(pace.interval).toBe(1600);
    pace.slowTo(900);
    expect(pace.interval).toBe(1600);
  });
});

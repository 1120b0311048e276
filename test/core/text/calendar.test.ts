import { expect, test } from 'vitest';
import { isInCalendar } from '../../../src/core/text/calendar.ts';

test.each([
  '2026-01-31',
  '2028-02-29',
  '2026-12-31T23:59Z',
  '2026-12-31T23:59:59.999Z',
  '2026-01-01T00:00:00+14:00',
  '2026-01-01t00:00:00z',
])('%s exists', (text) => {
  expect(isInCalendar(text)).toBe(true);
});

test.each([
  '2026-02-29',
  '2026-02-30T10:00:00Z',
  '2026-13-01',
  '2026-00-10',
  '2026-99-99T99:99:99Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T23:60:00Z',
  '2026-01-01T23:59:60Z',
  'soon',
  '',
])('%s does not', (text) => {
  expect(isInCalendar(text)).toBe(false);
});

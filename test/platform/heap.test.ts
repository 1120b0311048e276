import { expect, test } from 'vitest';
import { collectGarbage } from '../../src/platform/heap.ts';

test('the garbage of many files is collected with one listener of the process', () => {
  const before = process.listenerCount('exit');
  for (let i = 0; i < 20; i++) collectGarbage();
  expect(process.listenerCount('exit')).toBeLessThanOrEqual(before + 1);
});

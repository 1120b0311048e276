import { expect, test } from 'vitest';
import { inspectImage } from '../../../src/observe/icon/inspect-image.ts';
import { PNG_ANIMATIONS } from '../../support/png-animations.ts';

test.each(PNG_ANIMATIONS)('%s', (_, bytes, __, verdict) => {
  const { kind, fault } = inspectImage(bytes);
  expect(kind).toBe('png');
  expect(fault === null ? '' : `png-${fault.code}`).toBe(verdict.replace(/^\w+ /, ''));
});

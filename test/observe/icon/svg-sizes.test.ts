import { expect, test } from 'vitest';
import { inspectImage } from '../../../src/observe/icon/inspect-image.ts';
import { SVG_SIZES } from '../../support/svg-sizes.ts';

test.each(SVG_SIZES)('%s', (_, text, shown) => {
  const { fault, width, height } = inspectImage(Buffer.from(text));
  expect(fault).toBe(null);
  const isShown = (width === null || width > 0) && (height === null || height > 0);
  expect(isShown).toBe(shown === 'all');
});

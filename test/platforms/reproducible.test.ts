import { beforeAll, expect, test } from 'vitest';
import { APP, buildBundler, checksum, otherCopy } from '../bundle/reproducible-fixture.ts';
import { tree } from '../bundle/tree.ts';
import { describeOnNodes } from '../support/nodes.ts';

/** The bytes of an artifact do not depend on the version of Node. */

beforeAll(buildBundler);

describeOnNodes('the same bytes as on this Node', (node) => {
  test.each([
    ['a bundle', {}],
    ['a minified bundle with maps', { minify: true, sourcemap: true }],
  ])('result for %s', (_, options) => {
    expect(checksum(otherCopy(), options, { node })).toBe(checksum(tree(APP), options));
  });

  test('result for a packed folder, with another user mask', () => {
    const [first, second] = [tree(APP), otherCopy()];
    const plain = { ui: undefined, include: undefined };
    const expected = checksum(first, { ...plain, entry: first });
    expect(checksum(second, { ...plain, entry: second }, { node, env: { MASK: '63' } })).toBe(expected);
  });
});

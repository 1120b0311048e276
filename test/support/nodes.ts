import { describe, test } from 'vitest';

/** APPREG_NODES: other Node programs, absolute paths with commas between them, the newest last. `.ci/run` installs them. */
const NODES = (process.env['APPREG_NODES'] ?? '').split(',').filter((path) => path !== '');

/** Tests on each of the other versions of Node. Without any they are skipped with a message; in CI they fail. */
export function describeOnNodes(title: string, body: (node: string, index: number, count: number) => void): void {
  for (const [index, node] of NODES.entries()) describe(`${title} with ${node}`, () => body(node, index, NODES.length));
  if (NODES.length > 0) return;
  test.skipIf(!process.env['CI'])(`${title} (skipped: APPREG_NODES names no other Node)`, () => {
    throw new Error('Not run: APPREG_NODES names no other Node');
  });
}

import { beforeAll, expect, test } from 'vitest';
import { describeOnNodes } from '../support/nodes.ts';
import { playFile, requireBuild, TRANSCRIPTS } from '../support/recorded.ts';

/**
 * What the built command line prints on other versions of Node: all transcripts on the newest one, which differs most
 * from the Node of `npm test`, and each on one of the versions between, in turn. What depends on the version (reading
 * files, fetch, zlib, TLS, child processes, errors of the system) is in several transcripts.
 */

beforeAll(requireBuild);

describeOnNodes('the command line', (node, index, count) => {
  const isNewest = index === count - 1;
  const files = TRANSCRIPTS.filter((_, turn) => isNewest || turn % (count - 1) === index);

  test.each(files)('prints what %s contains', { timeout: 120_000 }, (file) => {
    const { text, played } = playFile(file, node);
    expect(played).toBe(text);
  });
});

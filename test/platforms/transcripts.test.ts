import { beforeAll, expect, test } from 'vitest';
import { describeOnNodes } from '../support/nodes.ts';
import { IN_PROCESSES, playerOn, requireBuild, TRANSCRIPTS } from '../support/recorded.ts';

/**
 * What the built command line prints on other versions of Node: all transcripts on the newest one, which differs most
 * from the Node of `npm test`, each on one of the versions between, in turn, and one of them on each version. What
 * depends on the version (reading files, fetch, zlib, TLS, child processes, errors of the system) is in several
 * transcripts.
 */

beforeAll(requireBuild);

describeOnNodes('the command line', (node, index, count) => {
  const playFile = playerOn(node);
  const isNewest = index === count - 1;
  const files = TRANSCRIPTS.filter((file, turn) => isNewest || turn % (count - 1) === index || file === IN_PROCESSES);

  test.each(files)('prints what %s contains', { timeout: 120_000 }, async (file) => {
    const { text, played } = await playFile(file);
    expect(played).toBe(text);
  });
});

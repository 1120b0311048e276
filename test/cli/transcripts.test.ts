import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { playerOn, requireBuild, TRANSCRIPTS } from '../support/recorded.ts';

/**
 * What the built command line prints, word for word, on this Node; test/platforms has the others. UPDATE=1 writes the
 * current output into the transcripts.
 */

beforeAll(requireBuild);
const playFile = playerOn(process.execPath);

test.each(TRANSCRIPTS)('the command line prints what %s contains', { timeout: 120_000 }, async (file) => {
  const { text, played } = await playFile(file);
  if (process.env['UPDATE'] === '1') writeFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), played);
  else expect(played, 'If this output is correct, write it into the transcript with UPDATE=1').toBe(text);
});

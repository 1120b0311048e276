import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folder } from '../support/folders.ts';
import { play } from '../support/transcript.ts';
import { describeOnWindows, windowsPath } from '../support/windows.ts';

/**
 * Transcripts of test/cli/transcripts.test.ts on Windows, where the output is the same. Half of them run on each Node, to
 * save time. Not run: those that need git, which is missing under Wine, and the longest ones.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TRANSCRIPTS = {
  '20': ['test/cli/transcripts/lint.md', 'docs/pipelines/ci.md'],
  '22': ['test/cli/transcripts/diagnose.md', 'test/cli/transcripts/formats.md'],
};

for (const [major, files] of Object.entries(TRANSCRIPTS)) {
  describeOnWindows('transcripts', major, (windows) => {
    test.each(files)('print what %s contains', { timeout: 240_000 }, async (file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      const place = join(folder(), basename(file, '.md'));
      mkdirSync(place);
      const environment = (env: Record<string, string>): NodeJS.ProcessEnv => {
        const own = Object.entries(env).filter(([name]) => name !== 'PATH' && name !== 'TMPDIR');
        return windows.environment({
          ...Object.fromEntries(own),
          LOCALAPPDATA: windowsPath(`${place}.home/.local/share`),
        });
      };
      const played = await play(text, { appreg: windows.words(), folder: place, environment, shown: windowsPath });
      expect(played).toBe(text);
    });
  });
}

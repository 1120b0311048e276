import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { play } from '../support/transcript.ts';

/**
 * What the built command line prints, word for word, on several versions of Node.
 *
 * UPDATE=1 writes the current output into the transcripts. APPREG_NODES names further Node binaries: absolute paths with
 * commas between them. APPREG_BIN names another appreg.js, such as that of an installed package.
 */

const testFolder = dirname(fileURLToPath(import.meta.url));
const root = join(testFolder, '../..');
/** Transcripts, and the guides in docs/ that are transcripts as well. */
const transcripts = ['test/cli/transcripts', 'docs'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file}`)
    .filter((file) => /^`{3,}console$/m.test(readFileSync(join(root, file), 'utf8'))),
);
const appreg = process.env['APPREG_BIN'] ?? join(root, 'bin/appreg.js');
const otherNodes = (process.env['APPREG_NODES'] ?? '').split(',').filter((path) => path !== '');

let scratch: string;
beforeAll(() => {
  const built = join(dirname(appreg), '../dist/cli/main.cjs');
  if (!existsSync(built)) throw new Error('appreg is not built. Build it: node scripts/build.mjs --no-types');
  scratch = realpathSync.native(mkdtempSync(join(tmpdir(), 'appreg-walk-')));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** All transcripts on this Node. In CI also on every other one; elsewhere each transcript runs on one other, in turn. */
const runs = [
  { node: process.execPath, files: transcripts },
  ...otherNodes.map((node, turn) => ({
    node,
    files: process.env['CI'] ? transcripts : transcripts.filter((_, index) => index % otherNodes.length === turn),
  })),
];

describe.each(runs)('the command line with $node', ({ node, files }) => {
  test.each(files)('prints what %s contains', { timeout: 120_000 }, (file) => {
    const folder = join(mkdtempSync(join(scratch, 'run-')), basename(file, '.md'));
    mkdirSync(folder);
    // A checkout on Windows may have given it other line endings.
    const text = readFileSync(join(root, file), 'utf8').replaceAll('\r\n', '\n');
    const played = play(text, { appreg: [node, appreg], folder });
    if (process.env['UPDATE'] === '1' && node === process.execPath) writeFileSync(join(root, file), played);
    else expect(played, 'If this output is correct, write it into the transcript with UPDATE=1').toBe(text);
  });
});

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
 * UPDATE=1 writes what is printed now into the walks. APPREG_NODES names further Node binaries: absolute paths with
 * commas between them. APPREG_BIN names another appreg.js, such as that of an installed package.
 */

const testFolder = dirname(fileURLToPath(import.meta.url));
const root = join(testFolder, '../..');
/** Walks, and the guides among the docs, which are true because they are walks as well. */
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
  if (!existsSync(built))
    throw new Error('There is no built appreg to try. Build it: node scripts/build.mjs --no-types');
  scratch = realpathSync.native(mkdtempSync(join(tmpdir(), 'appreg-walk-')));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** All walks on this Node. In CI also on every other one; elsewhere each walk runs on one other, in turn. */
const runs = [
  { node: process.execPath, walks: transcripts },
  ...otherNodes.map((node, turn) => ({
    node,
    walks: process.env['CI'] ? transcripts : transcripts.filter((_, index) => index % otherNodes.length === turn),
  })),
];

describe.each(runs)('with $node', ({ node, walks: chosen }) => {
  test.each(chosen)('%s', { timeout: 120_000 }, (file) => {
    const folder = join(mkdtempSync(join(scratch, 'run-')), basename(file, '.md'));
    mkdirSync(folder);
    // A checkout on Windows may have given it other line endings.
    const text = readFileSync(join(root, file), 'utf8').replaceAll('\r\n', '\n');
    const played = play(text, { appreg: [node, appreg], folder });
    if (process.env['UPDATE'] === '1' && node === process.execPath) writeFileSync(join(root, file), played);
    else expect(played, 'If this is what it ought to print: UPDATE=1 writes it into the walk').toBe(text);
  });
});

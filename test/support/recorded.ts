import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterFile } from './cleanup.ts';
import { folder } from './folders.ts';
import { openSharedProcess } from './shared-process.ts';
import { play, type Stage } from './transcript.ts';
import { GUIDES } from './guides.ts';

/** The transcripts of this repository, played with the built command line. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** APPREG_BIN names another appreg.js, such as that of an installed package. */
const APPREG = process.env['APPREG_BIN'] ?? join(ROOT, 'bin/appreg.js');
const PROGRAM = join(dirname(APPREG), '../dist/node/main.cjs');
/** Each command of this transcript is a process. Those of the others share one, since starting Node takes most of the time. */
export const IN_PROCESSES = 'test/cli/transcripts/lint.md';

/** Transcripts, and the guides in docs/ that are transcripts as well: paths in the repository. */
export const TRANSCRIPTS = [
  ...readdirSync(join(ROOT, 'test/cli/transcripts'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `test/cli/transcripts/${file}`),
  ...GUIDES,
].filter((file) => /^`{3,}console$/m.test(readFileSync(join(ROOT, file), 'utf8')));

/** Throws unless there is a build to play transcripts with. */
export function requireBuild(): void {
  if (!existsSync(PROGRAM)) throw new Error('appreg is not built. Build it: node scripts/build.mjs --no-types');
}

/** @returns what plays a transcript with this Node: its text, and the same text with the current output */
export function playerOn(node: string): (file: string) => Promise<{ text: string; played: string }> {
  const shared = openSharedProcess(PROGRAM, { node });
  afterFile(() => shared.close());
  return (file) => playFile(file, { appreg: [node, APPREG], ...(file !== IN_PROCESSES && { shared }) });
}

/** Plays a transcript with another runtime, whose words precede the program; each command is a process. */
export function playWith(words: readonly string[], file: string): Promise<{ text: string; played: string }> {
  return playFile(file, { appreg: [...words, APPREG] });
}

async function playFile(file: string, stage: Omit<Stage, 'folder'>): Promise<{ text: string; played: string }> {
  const place = join(mkdtempSync(join(folder(), 'run-')), basename(file, '.md'));
  mkdirSync(place);
  // A checkout on Windows may have given it other line endings.
  const text = readFileSync(join(ROOT, file), 'utf8').replaceAll('\r\n', '\n');
  return { text, played: await play(text, { ...stage, folder: place }) };
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, TESTS } from './source-files.ts';

/** Which project of vitest.config.ts runs a test file. The file decides: there is no list of files. */

/** Every test file, by its path in the project. */
export function testFiles(): string[] {
  return TESTS.filter((file) => file.endsWith('.test.ts')).toSorted();
}

/**
 * The reason in the first line of a file that only `npm run test:scenarios` runs: `// Scenario: …`. A scenario is slow,
 * and rarely finds what no other test finds.
 * @returns null for a file of `npm test`
 */
export function scenarioReason(text: string): string | null {
  return /^\/\/ Scenario: (.+)\n/.exec(text)?.[1] ?? null;
}

/** A module that a file replaces stays replaced for the next file of its process. */
function replacesModules(text: string): boolean {
  return /\bvi\.(?:mock|doMock)\(/.test(text);
}

/** @returns the files of the projects that are not folders */
export function filesByProject(): { scenarios: string[]; isolated: string[] } {
  const files = testFiles().map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
  const pick = (is: (text: string) => boolean): string[] =>
    files.filter(({ text }) => is(text)).map(({ file }) => file);
  const scenarios = pick((text) => scenarioReason(text) !== null);
  return { scenarios, isolated: pick(replacesModules).filter((file) => !scenarios.includes(file)) };
}

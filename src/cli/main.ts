import { VERSION } from '../core/values/tool-version.ts';
import { toStdout } from './io/streams.ts';

/**
 * Runs the command line; never throws. Code is loaded in the order in which it is needed: the version needs no parser,
 * and help no more than the parser.
 * @param argv as `process.argv`: the first two elements are skipped
 * @returns the exit code
 */
export async function main(argv: readonly string[]): Promise<number> {
  const words = argv.slice(2);
  if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
    toStdout(`${VERSION}\n`);
    return 0;
  }
  await (await import('../platform/compile-cache.ts')).keepCompiledCode(process.env);
  const parsed =
    words[0] === '__complete'
      ? await printCandidates(words.slice(1))
      : (await import('./program/program.ts')).parse(words);
  if (parsed === null) return 0;
  const { run } = await import('./process/run.ts');
  return run(words, parsed);
}

/** Prints what completes a command line, for the scripts of `appreg completion`. @returns its failure */
async function printCandidates(words: readonly string[]): Promise<{ error: unknown } | null> {
  try {
    const [{ complete }, { buildProgram }] = await Promise.all([
      import('./completion/complete.ts'),
      import('./program/program.ts'),
    ]);
    toStdout(await complete(buildProgram(null), words));
    return null;
  } catch (error) {
    return { error };
  }
}

// The inputs of the action, as arguments of appreg.

/** Something that whoever wrote the workflow can fix. */
export class UsageError extends Error {}

/**
 * The arguments for one check.
 * @param env the inputs, as INPUT_…
 * @param json where the report goes
 * @param base gives what lint compares a pull request with, or null
 */
export function checkArguments(env, json, base) {
  const { INPUT_COMMAND: command, INPUT_PATH: path, INPUT_URL: url, INPUT_AGAINST: against } = env;
  if (!['lint', 'verify', 'diagnose'].includes(command))
    throw new UsageError('The input command must be one of lint, verify, diagnose.');
  if (command !== 'lint' && !url) throw new UsageError(`The input url is missing; ${command} checks a live registry.`);
  const compared = against || (command === 'lint' ? base() : null);
  return [
    command,
    ...wordsOf(env.INPUT_ARGS ?? ''),
    ...(compared && compared !== 'none' ? [`--against=${compared}`] : []),
    ...(env.INPUT_MAX_WARNINGS ? [`--max-warnings=${env.INPUT_MAX_WARNINGS}`] : []),
    '--format=json',
    `--output=${json}`,
    '--yes',
    '--',
    command === 'lint' ? path || '.' : url,
  ];
}

const OURS = /^--(format|output|against|max-warnings)(=|$)/;

/** Splits at spaces and line ends, other than in '…' and "…"; nothing is expanded. */
export function wordsOf(text) {
  const raw = text.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+|['"]/g) ?? [];
  const words = raw.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, one, two) => one ?? two));
  if (raw.some((word) => /^['"]$/.test(word))) throw new UsageError('The input args has a quote that is not closed.');
  const taken = words.find((word) => word === '--' || OURS.test(word));
  if (taken !== undefined)
    throw new UsageError(
      taken === '--'
        ? 'The input args cannot hold --; give what is checked as path or url.'
        : `The input args cannot hold ${taken.split('=')[0]}; the action has an input for it, or sets it itself.`,
    );
  return words;
}

// The inputs of the action, as arguments of appreg.
import { existsSync, statSync } from 'node:fs';

/** An input that the author of the workflow can correct. */
export class UsageError extends Error {}

const COMMANDS = ['lint', 'verify', 'diagnose', 'judge', 'release', 'publish', 'assemble', 'diff'];
/** Those that report the state of each app, or what changes, in place of findings of rules. */
const WITHOUT_FINDINGS = ['release', 'publish', 'assemble', 'diff'];
/** Those that check several paths in one run. */
const WITH_PATHS = ['lint', 'judge'];
/** Those that read the configuration of a folder. */
const IN_FOLDER = ['release', 'publish', 'assemble', 'diff'];
/** Those that can leave out the findings of an earlier report. */
const WITH_BASELINE = ['lint', 'verify', 'judge'];
const EXTENSIONS = { sarif: 'sarif', json: 'json', junit: 'xml', gitlab: 'json', markdown: 'md' };
/** The formats of the commands without findings. */
const COMPARISON_FORMATS = ['json', 'markdown'];

/**
 * The paths of the input, one a line.
 * @throws UsageError for one that does not exist, with its name, or for more than the command takes
 */
export function pathsOf({ INPUT_COMMAND: command, INPUT_PATH: given = '' }) {
  const paths = given
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (paths.length === 0) return ['.'];
  if (paths.length > 1 && !WITH_PATHS.includes(command))
    throw new UsageError(
      `The input path has ${paths.length} lines; ${command} takes one folder. Use a step, or a job of a matrix, for each.`,
    );
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined)
    throw new UsageError(
      `The input path names “${missing}”, which does not exist in ${process.cwd()}. Correct it, or add actions/checkout before this step.`,
    );
  const file = IN_FOLDER.includes(command) ? paths.find((path) => !statSync(path).isDirectory()) : undefined;
  if (file !== undefined)
    throw new UsageError(
      `The input path names “${file}”, which is a file; ${command} needs the folder with the configuration.`,
    );
  return paths;
}

/** True for the commands that have no findings of rules. */
export function hasNoFindings({ INPUT_COMMAND: command }) {
  return WITHOUT_FINDINGS.includes(command);
}

/** The format of the report file, with its extension. */
export function formatOf(env) {
  const formats = hasNoFindings(env) ? COMPARISON_FORMATS : Object.keys(EXTENSIONS);
  const format = env.INPUT_FORMAT || (hasNoFindings(env) ? 'json' : 'sarif');
  if (!formats.includes(format)) throw new UsageError(`The input format must be one of ${formats.join(', ')}.`);
  return { format, extension: EXTENSIONS[format] };
}

/**
 * The arguments for one check.
 * @param env the inputs, as INPUT_…
 * @param base gives what lint and diff compare a pull request with, or null
 */
export function checkArguments(env, base) {
  const { INPUT_COMMAND: command, INPUT_URL: url, INPUT_AGAINST: against } = env;
  if (!COMMANDS.includes(command)) throw new UsageError(`The input command must be one of ${COMMANDS.join(', ')}.`);
  const isLive = command === 'verify' || command === 'diagnose';
  if (isLive && !url) throw new UsageError(`The input url is missing; ${command} checks a live registry.`);
  if (command === 'publish' && against)
    throw new UsageError('The input against is only for checks; publish compares with the store that it writes to.');
  if (against && command === 'judge')
    throw new UsageError('The input against is not for judge: the saved facts include what they were compared with.');
  if (env.INPUT_BASELINE && !WITH_BASELINE.includes(command))
    throw new UsageError(`The input baseline is for ${WITH_BASELINE.join(', ')}; the command is ${command}.`);
  const attest = env.INPUT_ATTEST === 'true' ? ['--attest'] : [];
  if (attest.length > 0 && command !== 'publish')
    throw new UsageError(`The input attest is for publish; ${command} publishes nothing.`);
  const { INPUT_ADVISORY: advisory = 'false' } = env;
  if (!['true', 'false', ''].includes(advisory)) throw new UsageError('The input advisory must be true or false.');
  if (advisory === 'true' && command === 'publish')
    throw new UsageError('The input advisory is for checks; publish fails if a version was not published.');
  const loadTest = loadTestArguments(env);
  const paths = isLive ? [] : pathsOf(env);
  const [path] = paths;
  const words = wordsOf(env.INPUT_ARGS ?? '');
  const output = ['--format=json', '--yes'];
  const compared = against || (command === 'lint' || command === 'diff' ? base() : null);
  if (command === 'diff') {
    if (!compared || compared === 'none')
      throw new UsageError('The input against is missing: it names the state before, unless this is a pull request.');
    return ['diff', ...words, `--cwd=${path}`, ...output, '--', compared, '.'];
  }
  const options = [
    ...(compared && compared !== 'none' ? [`--against=${compared}`] : []),
    ...(env.INPUT_BASELINE ? [`--baseline=${env.INPUT_BASELINE}`] : []),
    ...(env.INPUT_MAX_WARNINGS ? [`--max-warnings=${env.INPUT_MAX_WARNINGS}`] : []),
    ...output,
  ];
  if (command === 'release') return ['release', '--check', ...loadTest, ...words, `--cwd=${path}`, ...options];
  if (command === 'publish') return ['release', ...attest, ...loadTest, ...words, `--cwd=${path}`, ...options];
  if (command === 'assemble') return ['assemble', '--check', ...words, `--cwd=${path}`, ...options];
  return [command, ...words, ...options, '--', ...(isLive ? [url] : paths)];
}

function loadTestArguments({ INPUT_LOAD_TEST: wanted, INPUT_COMMAND: command }) {
  if (!wanted) return [];
  if (wanted !== 'true' && wanted !== 'false') throw new UsageError('The input load-test must be true or false.');
  if (command !== 'release' && command !== 'publish')
    throw new UsageError(`The input load-test is for release and publish; ${command} builds nothing.`);
  return wanted === 'true' ? ['--load-test'] : ['--no-load-test'];
}

const OURS = /^--(format|output|against|baseline|max-warnings)(=|$)/;

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

import { message, joined } from '../../core/text/message.ts';
import { counted, redact } from '../../core/text/text.ts';
import { notJudgedEntry } from '../../core/engine/not-judged.ts';
import { isAbout, isOver } from '../../core/engine/mark-findings.ts';
import {
  counts,
  exitCode,
  type CheckCommand,
  type ExceptionList,
  type Report,
  SYMPTOMS,
} from '../../core/findings/report.ts';
import { VERSION } from '../../core/values/tool-version.ts';
import { summaryLine } from '../../report/report-text.ts';
import { render, explainCommand } from '../../report/index.ts';
import { DEFAULTS, type RenderOptions } from '../../report/options.ts';
import { PLAIN } from '../../report/style.ts';
import type { Context } from '../config/context.ts';
import type { Terminal } from '../io/terminal.ts';
import type { CheckSettings } from './check-settings.ts';
import { checkFormat, outputsOf, printRendered } from '../io/results.ts';
import { failureOf, withoutSystemError } from '../io/failed-run.ts';
import { appendFileSync, existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { annotations } from '../../report/github.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import { AppregError, isAppregError } from '../../core/errors/error.ts';

/** Shared by the commands that check: formats, report output, the exit code. */

/**
 * Prints the report to stdout, or to the file of --output, and returns the exit code.
 * @param more what the command knows in addition to the report, such as the severities used
 */
export function printReport(context: Context, report: Report, more: Partial<RenderOptions> = {}): 0 | 1 | 2 {
  const { options, cwd, env } = context;
  const maxWarnings = options.maxWarnings ?? null;
  const renderOptions: RenderOptions = {
    ...DEFAULTS,
    verbose: options.verbose === true,
    folder: folderInRepository(cwd, env),
    maxWarnings,
    ...more,
  };
  printRendered(
    context,
    (format, style) => render(report, checkFormat(format), { ...renderOptions, style }),
    () => message`${summaryLine(report, PLAIN)}`,
  );
  reportToGitHub(context, report, renderOptions);
  return exitCode(report, maxWarnings);
}

/**
 * Prints the report of a whole check, which exceptions are over, and what explains a failure.
 * @param now the time of the check, ISO 8601
 * @param more what the command knows in addition to the report
 * @returns the exit code of the report
 */
export function reportCheck(
  context: Context,
  report: Report,
  { severities, exceptions, now }: Pick<CheckSettings, 'severities' | 'exceptions'> & { now: string },
  more: Partial<RenderOptions> = {},
): 0 | 1 | 2 {
  const code = printReport(context, report, { severities, ...more });
  logEndedExceptions(context.terminal, report, exceptions, now);
  suggestExplanation(context, code, report);
  return code;
}

/** Logs which findings count again, because their exception is over. */
export function logEndedExceptions(terminal: Terminal, report: Report, list: ExceptionList | null, now: string): void {
  for (const exception of list?.entries ?? []) {
    if (!isOver(exception, now)) continue;
    const found = report.findings.filter((finding) => isAbout(exception, finding) && counts(finding));
    if (found.length === 0) continue;
    const { rule, app, until, reason } = exception;
    terminal.log(
      message`The exception for ${rule}${app === null ? '' : ` (${app})`} ended on ${String(until)}, so ${counted(found.length, 'finding')} count${found.length === 1 ? 's' : ''} again. Its reason: ${reason}`,
    );
  }
}

/** Suggests the command that explains the most severe finding of a failed check. */
export function suggestExplanation({ terminal }: Context, code: number, { findings }: Report): void {
  const command = code === 0 ? null : explainCommand(findings);
  if (command !== null) terminal.next(message`${command} shows the causes, examples and settings of that rule`);
}

/**
 * Runs a check. With a machine format, stdout always holds a report: if the check could not run, its outcome is
 * "incomplete" with the reason.
 */
export async function checked(
  context: Context,
  command: CheckCommand,
  target: string,
  run: () => Promise<number>,
): Promise<number> {
  // A format that the check does not have is reported before it runs.
  const outputs = outputsOf(context.options, context.command, context.cwd);
  try {
    return await run();
  } catch (thrown) {
    const error = withoutSystemError(thrown);
    const report = incompleteReport(command, target, error);
    for (const { format, file } of outputs)
      if (format !== 'pretty' || file !== null)
        context.terminal.out(render(report, checkFormat(format), DEFAULTS), file);
    if (outputs[0]?.format === 'pretty') reportToGitHub(context, report, DEFAULTS);
    throw error;
  }
}

/** The report of a check that `thrown` ended. */
export function incompleteReport(command: CheckCommand, target: string, thrown: unknown): Report {
  const { error } = failureOf(thrown);
  return {
    schema: 1,
    tool: { name: 'appreg', version: VERSION },
    command,
    target: redact(target),
    outcome: 'incomplete',
    summary: {
      errors: 0,
      warnings: 0,
      notes: 0,
      excepted: 0,
      notJudged: 1,
      apps: 0,
      versions: 0,
      artifacts: 0,
      bytes: 0,
      seconds: 0,
    },
    symptoms: SYMPTOMS.map((id) => ({ id, status: 'not-judged', rules: [] })),
    apps: [],
    findings: [],
    notJudged: [notJudgedEntry('*', {}, { code: 'incomplete', why: `${error.code}: ${error.message}` })],
    error,
  };
}

/** What CI systems need in addition to a report: paths from the repository's root, annotations, a summary. */

/** The folder of `cwd` below the root of its repository, with `/`; '' at the root, or outside a repository. */
export function folderInRepository(cwd: string, env: NodeJS.ProcessEnv): string {
  const here = realPath(cwd);
  const given = [env['GITHUB_WORKSPACE'], env['CI_PROJECT_DIR']]
    .filter((root) => root !== undefined)
    .filter((root) => root !== '');
  const root = given.map(realPath).find((path) => contains(path, here)) ?? gitRoot(here) ?? here;
  return relative(root, here).split(sep).join('/');
}

function contains(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function gitRoot(path: string): string | null {
  if (existsSync(join(path, '.git'))) return path;
  const parent = dirname(path);
  return parent === path ? null : gitRoot(parent);
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // A missing folder is reported when it is read.
    return path;
  }
}

/**
 * In GitHub Actions, if no format is requested, prints annotations and a job summary in addition to the pretty output.
 */
function reportToGitHub(context: Context, report: Report, options: RenderOptions): void {
  const { env, terminal } = context;
  if (env['GITHUB_ACTIONS'] !== 'true' || context.options.format !== undefined) return;
  for (const line of annotations(report, options)) terminal.annotate(line);
  const summary = env['GITHUB_STEP_SUMMARY'];
  if (summary === undefined || summary === '') return;
  try {
    appendFileSync(summary, `${render(report, 'markdown', options)}\n\n`);
  } catch (error) {
    const code = systemErrorCode(error) ?? 'unknown';
    terminal.log(message`No summary was written to ${summary} (GITHUB_STEP_SUMMARY): ${code}`);
  }
}

/** Several inputs of one check: those that cannot be used are named together, and the others are judged. */

/** What `use` returns for each input that can be used, and the errors of the others. */
export interface UsedInputs<T> {
  used: T[];
  failed: AppregError[];
}

/**
 * Uses each input.
 * @throws AppregError if none can be used: the only error, or `inputs-unusable`, which names them all. Errors that are
 *   not expected are rethrown at once.
 */
export async function useEach<Input, T>(
  inputs: readonly Input[],
  use: (input: Input) => Promise<T>,
): Promise<UsedInputs<T>> {
  const used: T[] = [];
  const failed: AppregError[] = [];
  for (const input of inputs) {
    try {
      used.push(await use(input));
    } catch (thrown) {
      const error = withoutSystemError(thrown);
      if (!isAppregError(error) || error.exit !== 2) throw error;
      failed.push(error);
    }
  }
  if (used.length === 0 && failed.length > 0) throw unusable(failed);
  return { used, failed };
}

/** One error about all inputs that cannot be used. */
export function unusable(errors: readonly AppregError[]): AppregError {
  const [first] = errors;
  if (first !== undefined && errors.length === 1) return first;
  const lines = joined(
    errors.map((error) => error.message),
    '\n  ',
  );
  return new AppregError('inputs-unusable', lines, joined([...new Set(errors.map(({ hint }) => hint))], '\n  '));
}

/** Why a run that has left out these inputs is incomplete; null if it has left out none. */
export function whyIncomplete(errors: readonly AppregError[]): string | null {
  return errors.length === 0 ? null : errors.map(({ message }) => message).join(' ');
}

import { notJudgedEntry } from '../../core/engine/not-judged.ts';
import { exitCode, type CheckCommand, type Report, SYMPTOMS } from '../../core/engine/report.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import { printable } from '../../core/text/text.ts';
import { isAppregError, AppregError } from '../../core/errors.ts';
import { VERSION } from '../../core/tool-version.ts';
import { explainCommand } from '../../report/explain-command.ts';
import { render } from '../../report/index.ts';
import { DEFAULTS, type Format, FORMATS, type RenderOptions } from '../../report/options.ts';
import { PLAIN } from '../../report/style.ts';
import { isOneOf } from '../choices.ts';
import { folderInRepository, reportToGitHub } from '../ci.ts';
import type { Context } from '../context.ts';
import { withoutSystemError } from '../process/file-error.ts';

/** Shared by the commands that check: formats, report output, the exit code. */

/** The requested format. Throws AppregError if it is unknown. */
function formatOf(context: Context): Format {
  const format = context.options.format ?? 'pretty';
  if (!isOneOf(FORMATS, format))
    throw new AppregError(
      'format-unknown',
      `Unknown format “${printable(format)}”.${didYouMean(format, FORMATS)}`,
      `Use one of: ${FORMATS.join(', ')}`,
    );
  return format;
}

/**
 * Prints the report to stdout, or to the file of --output, and returns the exit code.
 * @param more what the command knows in addition to the report, such as the severities used
 */
export function printReport(context: Context, report: Report, more: Partial<RenderOptions> = {}): 0 | 1 | 2 {
  const { terminal, options, cwd, env } = context;
  const maxWarnings = options.maxWarnings ?? null;
  const renderOptions: RenderOptions = {
    ...DEFAULTS,
    style: options.output === undefined ? terminal.style : PLAIN,
    verbose: options.verbose === true,
    folder: folderInRepository(cwd, env),
    maxWarnings,
    ...more,
  };
  terminal.out(render(report, formatOf(context), renderOptions));
  reportToGitHub(context, report, renderOptions);
  return exitCode(report, maxWarnings);
}

/** Suggests the command that explains the most severe finding of a failed check. */
export function suggestExplanation({ terminal }: Context, code: number, { findings }: Report): void {
  const command = code === 0 ? null : explainCommand(findings);
  if (command !== null) terminal.next(`${command} shows the causes, examples and settings of that rule`);
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
  const format = formatOf(context);
  try {
    return await run();
  } catch (thrown) {
    const error = withoutSystemError(thrown);
    const reason = isAppregError(error)
      ? `${error.code}: ${error.message}`
      : 'internal error in appreg; its stack is on stderr';
    const report = incompleteReport(command, target, reason);
    if (format === 'pretty') reportToGitHub(context, report, DEFAULTS);
    else context.terminal.out(render(report, format, DEFAULTS));
    throw error;
  }
}

/** The report of a check that could not run. */
export function incompleteReport(command: CheckCommand, target: string, reason: string): Report {
  return {
    schema: 1,
    tool: { name: 'appreg', version: VERSION },
    command,
    target,
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
    notJudged: [notJudgedEntry('*', {}, { code: 'incomplete', why: reason })],
  };
}

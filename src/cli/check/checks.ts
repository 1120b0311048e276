import { message } from '../../core/text/message.ts';
import { redact } from '../../core/text/text.ts';
import { notJudgedEntry } from '../../core/engine/not-judged.ts';
import { exitCode, type CheckCommand, type Report, SYMPTOMS } from '../../core/engine/report.ts';
import { VERSION } from '../../core/tool-version.ts';
import { explainCommand } from '../../report/explain-command.ts';
import { render } from '../../report/index.ts';
import { DEFAULTS, type RenderOptions } from '../../report/options.ts';
import { PLAIN } from '../../report/style.ts';
import { summaryLine } from '../../report/summary-line.ts';
import { folderInRepository, reportToGitHub } from '../ci.ts';
import type { Context } from '../context.ts';
import { checkFormat, outputsOf } from '../io/outputs.ts';
import { printRendered } from '../io/results.ts';
import { failureOf } from '../process/failed-run.ts';
import { withoutSystemError } from '../process/file-error.ts';

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

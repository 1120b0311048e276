import { notJudgedEntry } from '../../core/engine/not-judged.ts';
import { type CheckCommand, type Report, SYMPTOMS } from '../../core/findings/report.ts';
import { redact } from '../../core/text/text.ts';
import { VERSION } from '../../core/values/tool-version.ts';
import { render } from '../../report/index.ts';
import { DEFAULTS } from '../../report/options.ts';
import type { Context } from '../config/context.ts';
import { failureOf, withoutSystemError } from '../io/failed-run.ts';
import { checkFormat, outputsOf } from '../io/results.ts';
import { reportToGitHub } from './ci.ts';

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
    registries: [],
    outcome: 'incomplete',
    summary: {
      errors: 0,
      warnings: 0,
      notes: 0,
      excepted: 0,
      unfixable: 0,
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
    resolved: [],
    notJudged: [notJudgedEntry('*', {}, { code: 'incomplete', why: `${error.code}: ${error.message}` })],
    error,
  };
}

import { message } from '../../core/text/message.ts';
import type { Role } from 'appreg-conformance';
import { expectedFailures } from 'appreg-conformance';
import { conformanceExit, type ConformanceReport, type Observation, reportOf } from 'appreg-conformance';
import { conformancePage } from 'appreg-conformance';
import { conformanceJunit } from 'appreg-conformance';
import { conformanceTable, verdictOf } from 'appreg-conformance';
import { documentText } from '../../report/envelope.ts';
import type { Format } from '../../report/options.ts';
import type { Style } from '../../report/style.ts';
import type { OptionValues } from '../define/command.ts';
import type { Context } from '../config/context.ts';
import type { GlobalOptions } from '../io/invocation.ts';
import { readInputFile } from '../io/input-file.ts';
import { printRendered } from '../io/results.ts';
import type { conformanceOptions } from '../define/option-groups.ts';
import { type Selection, selectCases } from './conformance-cases.ts';

type Options = GlobalOptions & OptionValues<typeof conformanceOptions>;

/**
 * Runs the selected cases of a role, prints the results, and returns the exit code.
 * @param run observes the implementation in the cases
 */
export async function runConformance<R extends Role>(
  context: Context,
  role: R,
  options: Options,
  run: (selection: Selection<R>) => Promise<Observation[]>,
): Promise<number> {
  const selection = selectCases(role, options);
  const { set, all, selected } = selection;
  const expected =
    options.expected === undefined ? new Map<string, string>() : expectedIn(context, options.expected, all);
  const observations = await run(selection);
  const report = reportOf(selected, observations, {
    role,
    set,
    implementation: options.implementation ?? null,
    expected,
  });
  printRendered(
    context,
    (format, style) => rendered(report, format, style, options.verbose === true),
    () => message`${verdictOf(report)}`,
  );
  return conformanceExit(report);
}

function expectedIn(
  { cwd }: Context,
  file: string,
  all: Parameters<typeof expectedFailures>[2],
): ReadonlyMap<string, string> {
  return expectedFailures(readInputFile(cwd, file).toString('utf8'), file, all);
}

function rendered(report: ConformanceReport, format: Format, style: Style, verbose: boolean): string {
  if (format === 'json') return documentText(report.command, report);
  if (format === 'junit') return conformanceJunit(report);
  return format === 'html' ? conformancePage(report) : conformanceTable(report, style, verbose);
}

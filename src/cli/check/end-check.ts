import type { SignalExit } from '../../core/errors/error.ts';
import type { Context } from '../config/context.ts';
import type { SnapshotWriter } from './facts-file.ts';
import type { CheckRun } from './live-check.ts';
import type { CheckResult } from './observe-and-judge.ts';
import { reportCheck } from './report.ts';

/**
 * The end of a live check: saves the facts and prints the report.
 * @param writer null if the facts are not saved
 * @param code overrides the exit code of the report; an interrupted run overrides both; null for none
 * @returns the exit code
 */
export function endCheck(
  context: Context,
  run: CheckRun,
  { exit, report, incomplete, shard, attested }: CheckResult,
  writer: SnapshotWriter | null,
  code: 1 | SignalExit | null = null,
): number {
  writer?.finish(incomplete, shard);
  const reportCode = reportCheck(context, report, run, { attested });
  return exit ?? code ?? reportCode;
}

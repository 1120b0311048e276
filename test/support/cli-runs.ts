import { runJudge } from '../../src/cli/commands/judge.ts';
import { runVerify } from '../../src/cli/commands/verify.ts';
import type { Context } from '../../src/cli/config/context.ts';
import type { GlobalOptions } from '../../src/cli/io/invocation.ts';
import type { VerifyOptions } from '../../src/cli/check/verify-options.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { cliContext } from './cli-context.ts';

/** `verify` and `judge` in this process, in a folder, without a terminal. */

export interface CommandRun {
  code: number;
  out: string;
  /** The report; null where another format than JSON was requested for. */
  report: Report;
  /** The lines printed beside the results. */
  logged: string[];
}

export interface Runs {
  /** Called with each line that is printed beside the results. */
  onLog(line: string): void;
  verify(url: string, options?: VerifyOptions, globals?: GlobalOptions, env?: NodeJS.ProcessEnv): Promise<CommandRun>;
  judge(...files: string[]): Promise<CommandRun>;
}

export function runsIn(folder: string, ca: string): Runs {
  async function ran(
    globals: GlobalOptions,
    env: NodeJS.ProcessEnv,
    act: (context: Context) => Promise<number>,
  ): Promise<CommandRun> {
    const context = cliContext({ cwd: folder, options: globals, env });
    const { log: print } = context.terminal;
    context.terminal.log = (line) => {
      print(line);
      runs.onLog(line);
    };
    const code = await act(context);
    const { out, log } = context.printed;
    const text = out.join('\n');
    return {
      code,
      out: text,
      logged: log,
      report: globals.format === 'json' ? (JSON.parse(text) as Report) : (null as never),
    };
  }
  const runs: Runs = {
    onLog() {},
    verify: (url, options = {}, globals = { format: 'json' }, env = {}) =>
      ran(globals, env, (context) => runVerify(context, url, { ca, ...options })),
    judge: (...files) => ran({ format: 'json' }, {}, (context) => runJudge(context, files)),
  };
  return runs;
}

/** A report without what differs between a run and the judgement of what it saved. */
export function comparableReport(report: Report): Report {
  return { ...report, command: 'verify', summary: { ...report.summary, seconds: 0 } };
}

import { judge } from '../../src/cli/commands/judge/run.ts';
import { verify } from '../../src/cli/commands/verify/run.ts';
import type { Context, GlobalOptions } from '../../src/cli/context.ts';
import type { VerifyOptions } from '../../src/cli/check/verify-options.ts';
import type { Report } from '../../src/core/engine/report.ts';
import { cliContext } from './cli-context.ts';

/** `verify` and `judge` in this process, in a folder, without a terminal. */

export interface Ran {
  code: number;
  out: string;
  /** The report; null where another format than JSON was asked for. */
  report: Report;
  /** What was said beside the results. */
  said: string[];
}

export function runsIn(
  folder: string,
  ca: string,
): {
  verify(url: string, options?: VerifyOptions, globals?: GlobalOptions, env?: NodeJS.ProcessEnv): Promise<Ran>;
  judge(...files: string[]): Promise<Ran>;
} {
  async function ran(
    globals: GlobalOptions,
    env: NodeJS.ProcessEnv,
    act: (context: Context) => Promise<number>,
  ): Promise<Ran> {
    const context = cliContext({ cwd: folder, options: globals, env });
    const code = await act(context);
    const { out, log } = context.printed;
    const text = out.join('\n');
    return {
      code,
      out: text,
      said: log,
      report: globals.format === 'json' ? (JSON.parse(text) as Report) : (null as never),
    };
  }
  return {
    verify: (url, options = {}, globals = { format: 'json' }, env = {}) =>
      ran(globals, env, (context) => verify(context, url, { ca, ...options })),
    judge: (...files) => ran({ format: 'json' }, {}, (context) => judge(context, files)),
  };
}

/** A report without what differs between a run and the judgement of what it saved. */
export function sameOf(report: Report): Report {
  return { ...report, command: 'verify', summary: { ...report.summary, seconds: 0 } };
}

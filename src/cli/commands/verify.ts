import { message } from '../../core/text/message.ts';
import { startJudging } from '../../core/engine/judge.ts';
import { redact } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import { checked } from '../check/checked.ts';
import { endCheck } from '../check/end-check.ts';
import type { Context } from '../config/context.ts';
import { liveCheck, startRun } from '../check/live-check.ts';
import { observeAndJudge } from '../check/observe-and-judge.ts';
import { openSavedFacts } from '../check/facts-file.ts';
import type { VerifyOptions } from '../check/verify-options.ts';
import { verifyWhenReady, waitSeconds } from '../check/wait.ts';

/**
 * `appreg verify <registry-url>`: checks a live registry. Exit codes: docs/commands.md; 128 plus the
 * signal's number if interrupted.
 */
export async function runVerify(context: Context, url: string, options: VerifyOptions): Promise<number> {
  return checked(context, 'verify', redact(url), async () => {
    const seconds = options.wait === undefined ? null : waitSeconds(options);
    const check = await liveCheck(context, 'verify', url, options);
    if (seconds !== null) return verifyWhenReady(context, check, options, seconds);
    const run = await startRun(check);
    const writer = openSavedFacts(context, options.save, run);
    try {
      const result = await observeAndJudge(context, run, { start: startJudging, writer });
      const { unknownApps, nearApps } = result;
      if (unknownApps.length > 0)
        throw new AppregError(
          'app-unknown',
          message`The registry does not list the app “${unknownApps.join('”, “')}”.${nearApps}`,
          message`App keys are case-sensitive.`,
        );
      return endCheck(context, run, result, writer);
    } finally {
      writer?.abandon();
    }
  });
}

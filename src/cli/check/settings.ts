import type { JudgeOptions } from '../../core/engine/judge.ts';
import type { ExceptionList } from '../../core/findings/report.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { Context } from '../config/context.ts';
import { shownPath } from '../io/shown-path.ts';
import { knownFindings } from './known-findings.ts';

/** Settings that a check or a plan is judged by: from the configuration, and from the command line. */
export type CheckSettings = Required<Pick<JudgeOptions, 'now' | 'severities' | 'exceptions' | 'known' | 'appEntry'>>;

/**
 * The settings, as of now.
 * @param options.baseline as given with --baseline
 * @param options.registries the identities of the checked registries
 * @param configuration of the checked workspace (default: that of the current folder)
 * @throws AppregError for an invalid setting or --rule, and for a file that is not a report about them
 */
export async function settings(
  context: Context,
  { baseline, registries = [] }: { baseline?: string | undefined; registries?: readonly string[] } = {},
  configuration?: LoadedConfig,
): Promise<CheckSettings> {
  const { config, rules } = configuration ?? (await context.config());
  const { levels, exceptions } = await rules();
  return {
    now: new Date().toISOString(),
    severities: { ...levels, ...(await givenLevels(context.options.rule)) },
    exceptions: exceptions && shownIn(context.cwd, exceptions),
    known: baseline === undefined ? null : knownFindings(baseline, context.cwd, registries),
    // Read when it is used: it can be in a variable that is not set.
    get appEntry() {
      return config.artifact?.entry ?? null;
    },
  };
}

/** The levels of --rule, which take precedence over those of the configuration. */
async function givenLevels(given: readonly string[] = []): Promise<CheckSettings['severities']> {
  return given.length === 0 ? {} : (await import('../config/rules.ts')).givenLevels(given);
}

/** The exceptions with the path of their file as findings show it. */
function shownIn(cwd: string, { document, ...list }: ExceptionList): ExceptionList {
  if (document === null || document.file === null) return { ...list, document };
  return { ...list, document: { ...document, file: shownPath(cwd, document.file) } };
}

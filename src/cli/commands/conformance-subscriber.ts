import { resolve } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import { message } from '../../core/text/message.ts';
import { isHttpUrl } from '../../core/url/url.ts';
import { commandWords } from 'appreg-conformance';
import { type Implementation, runSubscriberCases } from 'appreg-conformance';
import { openLocalAuthority } from '../../serve/local-ca.ts';
import { runConformance } from './conformance-results.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import type { conformanceSubscriberCommand } from '../define/conformance-subscriber.ts';

type Options = OptionsOf<typeof conformanceSubscriberCommand>;

const TIMEOUT = 30;
const CONCURRENCY = 4;
/** Of what the subscriber writes about a verb. */
const MOST_LINES = 20;
const LONGEST_LINE = 500;

/** `appreg conformance subscriber`: tests a subscriber against scripted hosts. */
export async function runConformanceSubscriber(context: Context, options: Options): Promise<number> {
  const implementation = implementationOf(options);
  const { cwd, env } = context;
  const { timeout = TIMEOUT, concurrency = CONCURRENCY, without = [] } = options;
  const now = new Date();
  const authority =
    options.authority === undefined ? null : await openLocalAuthority(resolve(cwd, options.authority), now);
  return runConformance(context, 'subscriber', options, async ({ selected, set }) =>
    runSubscriberCases(selected, {
      set,
      implementation,
      cwd,
      env,
      without,
      timeout: timeout * 1000,
      concurrency: Math.max(1, concurrency),
      authority,
      now,
      onDetails(id, verb, details) {
        for (const line of details.trim().split(/\r?\n/).slice(0, MOST_LINES))
          context.terminal.detail(message`${id}, ${verb}: ${line.slice(0, LONGEST_LINE)}`);
      },
    }),
  );
}

function implementationOf({ command, adapter }: Options): Implementation {
  if (command !== undefined && adapter === undefined) return { command: commandWords(command) };
  if (command === undefined && adapter !== undefined) {
    if (isHttpUrl(adapter) && adapter.startsWith('http:')) return { adapter };
    throw new AppregError(
      'option-invalid',
      message`Invalid --adapter “${adapter}”. Expected a URL that begins with http://.`,
      message`Write it as --adapter http://127.0.0.1:8070/.`,
    );
  }
  throw new AppregError(
    'option-missing',
    message`The subscriber to test is missing, or named twice.`,
    message`Name it with --command, such as --command "./subscriber.sh", or with --adapter and the URL of an adapter.`,
  );
}

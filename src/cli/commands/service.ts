import { isLocalListenAddress, openLog, resolveSettings, type Settings, startService } from 'appreg-service';
import { message, safeLine } from '../../core/text/message.ts';
import { resolve } from 'node:path';
import { readTrustedRoot } from '../../attestation/trust.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { interruptedError } from '../../platform/stop-signals.ts';
import { pendingSignals } from '../../store/interrupt.ts';
import { networkOf } from '../../observe/http/proxy.ts';
import { readInputFile } from '../io/input-file.ts';
import { stopSignal } from '../io/stop-signal.ts';
import { printResult } from '../io/results.ts';
import type { Terminal } from '../io/terminal.ts';
import { authoritiesIn } from '../check/verify-options.ts';
import type { serviceCommand } from '../define/service.ts';

export type ServiceCommandOptions = OptionsOf<typeof serviceCommand>;

/**
 * `appreg service`: runs one node of the subscriber service until interrupted. The first line of stdout is its address,
 * printed when ready; logs go to stderr, one JSON object per line. Returns 130 after SIGINT, 0 after SIGTERM.
 * @throws AppregError also if its own PostgreSQL does not start again after a crash
 */
export async function runService(context: Context, options: ServiceCommandOptions): Promise<number> {
  const { terminal, env, cwd } = context;
  const ca = options.ca === undefined ? null : authoritiesIn(resolve(cwd, options.ca));
  const files = {
    ca,
    machineCa: networkOf(env).machineCa ?? null,
    trustedRoot: trustedRootIn(cwd, options.trustedRoot),
  };
  const settings = resolveSettings(options, env, { cwd, ...files });
  const log = openLog((line, level) =>
    level === 'debug' ? terminal.detail(safeLine(line)) : terminal.log(safeLine(line)),
  );
  const stopped = stopSignal();
  const running = await startService(settings, log).catch(async (error: unknown) => {
    // Ctrl+C ends the programs of PostgreSQL, too.
    await pendingSignals();
    const signal = await Promise.race([stopped.signal, Promise.resolve(null)]);
    stopped.forget();
    throw signal === null ? error : interruptedError(signal, { effect: 'none' });
  });
  printResult<'service'>(context, { pretty: () => running.url, json: () => ({ url: running.url }) });
  remarks(terminal, settings, running.url);
  const signal = await Promise.race([stopped.signal, running.failure]);
  if (typeof signal !== 'string') {
    stopped.forget();
    log('error', 'failed', { message: signal.message });
    await running.stop();
    throw signal;
  }
  log('info', 'stopping', { signal });
  await running.stop();
  return signal === 'SIGINT' ? 130 : 0;
}

/** The text of the file, which is a trusted root. @throws AppregError for any other file */
function trustedRootIn(cwd: string, file: string | undefined): string | null {
  if (file === undefined) return null;
  const text = readInputFile(cwd, file).toString('utf8');
  readTrustedRoot(text, file);
  return text;
}

function remarks(terminal: Terminal, settings: Settings, url: string): void {
  const { openSignUp, operatorToken, roles, host, databaseUrl, dataFolder } = settings;
  if (databaseUrl === null)
    terminal.log(message`The database is kept in ${dataFolder}; press Ctrl+C to stop the service.`);
  if (!roles.includes('web')) return;
  if (!openSignUp && operatorToken === null)
    terminal.log(
      message`No organizations can be created: set OPERATOR_TOKEN, or start the service with --open-sign-up.`,
    );
  if (openSignUp && !isLocalListenAddress(host))
    terminal.log(message`Anyone who can reach the service can create an organization.`);
  terminal.next(message`open ${url} in a browser`);
}

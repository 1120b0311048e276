import type { Bundle, BundleOptions } from '../../bundle/bundle.ts';
import { type Loaded, loadTest } from '../../bundle/load-test/load-test.ts';
import { message } from '../../core/text/message.ts';
import { untilStopped } from '../../store/interrupt.ts';
import type { Context } from '../config/context.ts';

/**
 * Loads what was built, as it is where it is installed.
 * @param request the options of the build
 * @param entry the file that a service loads; absent: app.js
 * @throws AppregError `load-failed` (exit 1), or `interrupted`
 */
export async function tested(
  { terminal }: Context,
  built: Bundle,
  request: BundleOptions,
  entry: string | undefined,
): Promise<Loaded> {
  const progress = terminal.progress(message`Loading the built code`);
  return await untilStopped(loadTest(built, request, entry)).finally(() => progress.stop());
}

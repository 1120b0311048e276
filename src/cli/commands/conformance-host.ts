import { resolve } from 'node:path';
import { networkOf } from '../../observe/http/proxy.ts';
import { runConformance } from './conformance-results.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { runHostCases } from 'appreg-conformance';
import { authoritiesIn } from '../check/verify-options.ts';
import { checkUrl } from '../io/input-file.ts';
import type { conformanceHostCommand } from '../define/conformance-host.ts';

type Options = OptionsOf<typeof conformanceHostCommand>;

/** `appreg conformance host <url>`: tests the host of an uploaded folder. */
export async function runConformanceHost(context: Context, url: string, options: Options): Promise<number> {
  checkUrl(url, 'conformance host');
  const ca = options.ca === undefined ? null : authoritiesIn(resolve(context.cwd, options.ca));
  const network = networkOf(context.env);
  return runConformance(context, 'host', options, async ({ selected }) =>
    runHostCases(selected, { url, ca, ...network }),
  );
}

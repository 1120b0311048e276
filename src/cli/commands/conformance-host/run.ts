import type { OptionValues } from '../../command-definition.ts';
import { runConformance } from '../../conformance/results.ts';
import type { Context, GlobalOptions } from '../../context.ts';
import { runHostCases } from '../../../conformance/host/run.ts';
import { checkUrl } from '../../input-file.ts';
import type { conformanceHostCommand } from './options.ts';

type Options = GlobalOptions & OptionValues<typeof conformanceHostCommand.options>;

/** `appreg conformance host <url>`: tests the host of an uploaded folder. */
export async function runConformanceHost(context: Context, url: string, options: Options): Promise<number> {
  checkUrl(url, 'conformance host');
  return runConformance(context, 'host', options, async ({ selected }) => runHostCases(selected, { url }));
}

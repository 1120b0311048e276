import { resolve } from 'node:path';
import { counted, printable } from '../../core/text/text.ts';
import { message } from '../../core/text/message.ts';
import { writeFixtures } from 'appreg-conformance';
import { setOf } from './conformance-cases.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { printResult } from '../io/results.ts';
import type { conformanceFixturesCommand } from '../define/conformance-fixtures.ts';

type Options = OptionsOf<typeof conformanceFixturesCommand>;

/** `appreg conformance fixtures <dir>`: the files to upload to a host. */
export async function runConformanceFixtures(context: Context, dir: string, options: Options): Promise<number> {
  setOf(options.set);
  const folder = resolve(context.cwd, dir);
  const files = (await writeFixtures(folder)).length;
  printResult<'conformance fixtures'>(context, {
    pretty: () => `Wrote ${counted(files, 'file')} to ${printable(dir)}.`,
    json: () => ({ folder, files }),
  });
  context.terminal.next(message`Upload the folder, then run appreg conformance host <url of the folder>`);
  return 0;
}

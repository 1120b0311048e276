import { message } from '../../core/text/message.ts';
import { counted } from '../../core/text/text.ts';
import { ROLES } from 'appreg-conformance';
import { casesOf } from 'appreg-conformance';
import { alignedRows } from '../../report/columns.ts';
import { setOf } from './conformance-cases.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { ownText, printResult } from '../io/results.ts';
import type { conformanceCommand } from '../define/conformance.ts';

type Options = OptionsOf<typeof conformanceCommand>;

/** `appreg conformance`: the cases of a set. */
export async function runConformanceList(context: Context, options: Options): Promise<number> {
  const set = setOf(options.set);
  const roles = ROLES.filter((role) => options.role === undefined || options.role === role);
  const cases = roles.flatMap((role) => casesOf(set, role));
  printResult<'conformance'>(context, {
    pretty: () => alignedRows(cases.map(({ role, level, id, title }) => [role, level, id, title])).join('\n'),
    json: () => ({
      set,
      cases: cases.map(({ id, role, level, spec, title, quote }) => ({ id, role, level, spec, title, quote })),
    }),
    summary: () => message`${counted(cases.length, 'case')}`,
    conceal: ownText,
  });
  return 0;
}

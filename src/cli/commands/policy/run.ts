import { message } from '../../../core/text/message.ts';
import type { Context } from '../../context.ts';
import { policyAt } from '../../policy-file.ts';
import { printResult } from '../../io/results.ts';

/** `appreg policy <policy.json>`: checks the file of a policy, and names the fields that hold something back. */
export async function runPolicy(context: Context, file: string): Promise<number> {
  const { fields, name } = policyAt(context.cwd, file);
  const what = fields.length === 0 ? 'holds nothing back' : `decides by ${fields.join(', ')}`;
  printResult<'policy'>(context, {
    pretty: () => message`${name}: a valid policy, which ${what}`,
    json: () => ({ file: name, fields }),
  });
  context.terminal.next(message`see its effect: appreg policy test ${name} <registry-url>`);
  return 0;
}

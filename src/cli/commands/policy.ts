import { message } from '../../core/text/message.ts';
import type { Context } from '../config/context.ts';
import { printResult } from '../io/results.ts';
import { isObject, parseDocument } from '../../core/json/json.ts';
import { type Policy, policyIn } from '../../core/policy/policy.ts';
import { printable } from '../../core/text/text.ts';
import { contentOf } from '../../observe/content/document-content.ts';
import { readInputFile } from '../io/input-file.ts';

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

export interface PolicyFile {
  /** As given, without control characters. */
  name: string;
  policy: Policy;
  /** The names of its fields that decide something. */
  fields: string[];
}

/** @throws AppregError `file-unreadable` or `policy-invalid` (exit 2) */
export function policyAt(cwd: string, file: string): PolicyFile {
  const name = printable(file);
  const content = contentOf(readInputFile(cwd, file));
  const policy = policyIn(content, name);
  const { value } = parseDocument(content);
  const fields = isObject(value) ? Object.keys(value).filter((field) => !/^\$?schema$/.test(field)) : [];
  return { name, policy, fields };
}

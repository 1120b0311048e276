import { exitCodeOf } from '../src/core/errors/codes/exit-codes.ts';
import { ERROR_CHAPTERS, type ErrorCode } from '../src/core/errors/codes/index.ts';

/** docs/errors.md: one row per code, by the part of the program that reports it. */
export function errorsPage(): string {
  const lines = [
    '# Errors',
    '',
    '<!-- Generated from src/core/errors/codes by `npm run docs`. Do not edit. -->',
    '',
    'A run that ends with an error prints the message and a hint to stderr. With `--format json`, stdout is a document with `error.code`, `error.message`, `error.hint` and `error.exit`; the codes are listed here. Messages and hints may change between versions, codes do not. What checks find in a registry are findings, not errors: see [rules.md](rules.md).',
    '',
    'Exit code 1: refused by a rule, such as a conflict or an immutable version. 2: the job could not be done.',
  ];
  for (const { title, errors } of ERROR_CHAPTERS) {
    lines.push('', `## ${title}`, '', '| code | exit | meaning | what to do |', '| --- | --- | --- | --- |');
    for (const [code, { title: meaning, fix }] of Object.entries(errors))
      lines.push(`| \`${code}\` | ${exitCodeOf(code as ErrorCode)} | ${meaning} | ${fix} |`);
  }
  return `${lines.join('\n')}\n`;
}

import { printable } from '../core/text/text.ts';

/** Untrusted text in GitHub's and GitLab's Markdown: everything except plain words is formatted as code. */

/** A code span that its content cannot close. Not for tables; see `cell`. */
export function code(raw: string): string {
  const text = printable(raw);
  if (text === '') return '';
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  // Markdown strips one space on each side.
  const pad = /^[` ]|[` ]$/.test(text) ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

// A word with the punctuation around it.
const WORD = /^(["'“‘(]*)(.*?)(["'”’),.;:!?%…]*)$/u;
// Letters, digits, and characters without a meaning to Markdown inside a word.
const HARMLESS = /^(?!=)[\p{L}\p{M}\p{N}.,’'“”"()–—→=-]*(?<!=)$/u;
// Hosts, issues and commits that would become links.
const LINKED = /www\.|^gh-\d|^(?=.*\d)[0-9a-f]{7,40}$/i;

// White space, or a placeholder such as <the name>, which is kept as one.
const BETWEEN = /((?<!\S)<[^<>`]{1,60}>(?=[.,;:!?)]*(?:\s|$))|\s+)/;

/** A sentence for people. It must not be at the start of a line, where even a digit can start a list. */
export function prose(raw: string): string {
  return printable(raw)
    .split(BETWEEN)
    .map((part) => (/^\s*$/.test(part) ? part : wordOrPlaceholder(part)))
    .join('');
}

function wordOrPlaceholder(text: string): string {
  return text.startsWith('<') ? code(text) : word(text);
}

function word(text: string): string {
  const [, before = '', inner = '', after = ''] = WORD.exec(text) ?? [];
  return HARMLESS.test(inner) && !LINKED.test(inner) ? text : `${before}${code(inner)}${after}`;
}

/** The output of `code` or `prose`, for a table cell. */
export function cell(markdown: string): string {
  return markdown.replaceAll('|', '\\|');
}

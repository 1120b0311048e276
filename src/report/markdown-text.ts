import { printable } from '../core/text/text.ts';

/** Untrusted text in GitHub's and GitLab's Markdown: whatever could be read as anything but a word stands as code. */

/** A code span that nothing inside can close. Not for tables; see `cell`. */
export function code(raw: string): string {
  const text = printable(raw);
  if (text === '') return '';
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  // One space on each side is taken off again.
  const pad = /^[` ]|[` ]$/.test(text) ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

// A word, with the punctuation that may stand around it.
const WORD = /^(["'“‘(]*)(.*?)(["'”’),.;:!?%…]*)$/u;
// Letters and digits, and marks that mean nothing to Markdown inside of a word.
const HARMLESS = /^(?!=)[\p{L}\p{M}\p{N}.,’'“”"()–—=-]*(?<!=)$/u;
// Hosts, issues and commits that would become links.
const LINKED = /www\.|^gh-\d|^(?=.*\d)[0-9a-f]{7,40}$/i;

// White space, or a placeholder such as <the name>, which stays one.
const BETWEEN = /((?<!\S)<[^<>`]{1,60}>(?=[.,;:!?)]*(?:\s|$))|\s+)/;

/** A sentence for people. It must not stand at the beginning of a line, where even a digit can begin a list. */
export function prose(raw: string): string {
  return printable(raw)
    .split(BETWEEN)
    .map((part) => (/^\s*$/.test(part) ? part : part.startsWith('<') ? code(part) : word(part)))
    .join('');
}

function word(text: string): string {
  const [, before, inner, after] = WORD.exec(text)!;
  return HARMLESS.test(inner!) && !LINKED.test(inner!) ? text : `${before}${code(inner!)}${after}`;
}

/** What `code` or `prose` made, for a cell of a table. */
export function cell(markdown: string): string {
  return markdown.replaceAll('|', '\\|');
}

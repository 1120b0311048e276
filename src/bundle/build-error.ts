import { joined, message, safe, type SafeText } from '../core/text/message.ts';
import { resolve } from 'node:path';
import type { Location, Message } from 'esbuild';
import { counted, printable } from '../core/text/text.ts';
import { AppregError } from '../core/errors/error.ts';
import { shownPath } from './shown-path.ts';

const MAX_SHOWN = 10;
/** Characters of a line shown before and after the location, since lines of minified code are long. */
const BEFORE = 80;
const AFTER = 60;

/** The base of the compiler's paths (`root`), and of the paths in messages (`cwd`). */
export interface Places {
  root: string;
  cwd: string;
}

/**
 * The error for code that does not build; `issues` are those of `issue`.
 * @param advice about packages that are not installed
 */
export function buildError(issues: readonly SafeText[], advice: readonly SafeText[]): AppregError {
  const shown = issues.slice(0, MAX_SHOWN);
  if (issues.length > MAX_SHOWN) shown.push(message`and ${issues.length - MAX_SHOWN} more`);
  const count = counted(issues.length, 'error');
  const summary = message`The code does not build (${count}).\n\n${safe(joined(shown, '\n\n'))}\n`;
  const hint =
    advice.length > 0 ? joined(advice.slice(0, MAX_SHOWN), '\n  ') : message`Fix the code; nothing was written.`;
  return new AppregError('build-failed', summary, hint);
}

/** `file:line:column: text` on one line, for warnings. */
export function headline({ text, location }: Message, places: Places): SafeText {
  return location === null ? message`${text}` : message`${place(location, places)}: ${text}`;
}

/** `file:line:column: text`, the line with the location marked, and the compiler's notes. */
export function issue(found: Message, places: Places): SafeText {
  const parts = [headline(found, places)];
  if (found.location !== null) parts.push(frame(found.location));
  for (const note of found.notes) {
    parts.push(message`  ${note.location === null ? '' : `${place(note.location, places)}: `}${note.text}`);
    if (note.location !== null) parts.push(frame(note.location));
  }
  return joined(parts, '\n');
}

function place(location: Location, places: Places): string {
  return `${shownFile(location, places)}:${location.line}:${characters(location, location.column) + 1}`;
}

function shownFile({ file, namespace }: Location, { root, cwd }: Places): string {
  return namespace === 'file' || namespace === '' ? shownPath(resolve(root, file), cwd) : file;
}

/** The compiler counts bytes of UTF-8; editors count characters. */
function characters({ lineText }: Location, bytes: number): number {
  return Buffer.from(lineText).subarray(0, bytes).toString().length;
}

function frame(location: Location): SafeText {
  const { line, lineText, column, length } = location;
  const from = characters(location, column);
  const to = Math.max(from + 1, characters(location, column + length));
  const before = visible(lineText.slice(0, from));
  const marked = visible(lineText.slice(from, to)).slice(0, BEFORE);
  const left = before.length > BEFORE ? `…${before.slice(-BEFORE)}` : before;
  const after = visible(lineText.slice(to));
  const right = after.length > AFTER ? `${after.slice(0, AFTER)}…` : after;
  const number = String(line).padStart(6);
  return message`${number} │ ${left}${marked}${right}\n${' '.repeat(6)} ╵ ${' '.repeat(left.length)}${'~'.repeat(Math.max(1, marked.length))}`;
}

function visible(text: string): string {
  return printable(text.replaceAll('\t', '  ').replace(/\r$/, ''));
}

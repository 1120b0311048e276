import { type Child, childrenAt } from '../core/json/positions.ts';
import { isObject, type JsonValue } from '../core/json/json.ts';

/** Detects the formatting of a document, and formats a new value like its siblings or else like the document. */

/** The document's formatting, for use without a sibling to copy from. */
export interface Layout {
  /** The line ending. */
  eol: string;
  /** One level of indentation. */
  unit: string;
  /** False if the whole document is on one line. */
  lines: boolean;
  /** The text between a name and its value, including the colon. */
  colon: string;
  /** The comma between two items on one line. */
  comma: string;
  /** The padding inside the brackets of a single-line container. */
  pad: string;
}

/** The layout of a document whose root is a container. */
export function layoutOf(text: string): Layout {
  const root = childrenAt(text, '');
  if (root === null) throw new Error('the root is neither an object nor an array');
  const { span, children } = root;
  // A JSON string contains no raw line breaks, so every line break is between tokens.
  const eol = /\r\n|\n|\r/.exec(text.slice(span.start, span.end))?.[0];
  const first = children[0];
  const lead = first ? text.slice(span.start + 1, startOf(first)) : '';
  const colon = first && first.nameStart !== null ? colonOf(text, first) : ': ';
  return {
    eol: eol ?? '\n',
    unit: hasBreak(lead) ? indentOf(lead) : '  ',
    lines: eol !== undefined,
    colon,
    comma: commaLike(colon),
    pad: hasBreak(lead) ? '' : lead,
  };
}

/** Assumes that a space after the colon implies one after the comma. */
function commaLike(colon: string): string {
  return /\s$/.test(colon) ? ', ' : ',';
}

/** The start offset of a child: that of its name, if it has one. */
export function startOf(child: Child): number {
  return child.nameStart ?? child.start;
}

export function hasBreak(space: string): boolean {
  return /[\r\n]/.test(space);
}

/** The white space after the last line break. */
export function indentOf(space: string): string {
  const line = space.slice(Math.max(space.lastIndexOf('\n'), space.lastIndexOf('\r')) + 1);
  return leadingSpace(line);
}

function leadingSpace(line: string): string {
  return line.slice(0, line.search(/[^ \t]|$/));
}

export function lineIndent(text: string, offset: number): string {
  const start = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
  return leadingSpace(text.slice(start, offset));
}

/** The text between a member's name and its value: the colon and surrounding white space. */
export function colonOf(text: string, child: Child): string {
  const colon = text.slice(text.lastIndexOf('"', child.start - 1) + 1, child.start);
  return hasBreak(colon) ? ': ' : colon;
}

/**
 * Formats a value as JSON text.
 * @param like the text of a sibling to imitate, or null
 * @param layout the fallback
 * @param indent the indentation of the line that it begins on
 * @param lines whether it may span several lines
 */
export function write(
  value: JsonValue,
  like: string | null,
  layout: () => Layout,
  indent: string,
  lines: boolean,
): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members: [string | number, JsonValue][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  const brackets = Array.isArray(value) ? '[]' : '{}';
  if (members.length === 0) return brackets;
  const model = like === null ? null : modelIn(like, isObject(value), layout);
  const form = model ?? (lines ? onLines(layout(), indent) : onOneLine(layout()));
  const inner = hasBreak(form.lead) ? indentOf(form.lead) : indent;
  const parts = members.map(([name, item]) => {
    const sibling = model?.children.find((child) => child.name === name);
    const inside = model && sibling ? model.text.slice(sibling.start, sibling.end) : null;
    const written = write(item, inside, layout, inner, model === null ? lines : hasBreak(form.lead));
    return typeof name === 'number' ? written : JSON.stringify(name) + form.colon + written;
  });
  return brackets[0] + form.lead + parts.join(form.comma) + form.tail + brackets[1];
}

/** The white space of a container: before its first child, between children, around colons, after the last child. */
interface Form {
  lead: string;
  comma: string;
  colon: string;
  tail: string;
}

function onLines({ eol, unit, colon }: Layout, indent: string): Form {
  const lead = eol + indent + unit;
  return { lead, comma: `,${lead}`, colon, tail: eol + indent };
}

function onOneLine({ pad, comma, colon }: Layout): Form {
  return { lead: pad, comma, colon, tail: pad };
}

/** The form of a container, for reuse, and its children; null if it is of another kind, or empty. */
function modelIn(
  text: string,
  named: boolean,
  layout: () => Layout,
): (Form & { text: string; children: readonly Child[] }) | null {
  const found = childrenAt(text, '');
  const first = found?.children[0];
  if (!found || !first || (first.nameStart !== null) !== named) return null;
  const { span, children } = found;
  const lead = text.slice(span.start + 1, startOf(first));
  const colon = named ? colonOf(text, first) : '';
  return {
    text,
    lead,
    comma: commaAfter(text, children, 0, lead, () => (named ? commaLike(colon) : layout().comma)),
    colon,
    tail: text.slice((children.at(-1) ?? first).end, span.end - 1),
    children,
  };
}

/** The separator after a child; for the last child, the one that would follow: `inline()` on a single line. */
export function commaAfter(
  text: string,
  children: readonly Child[],
  index: number,
  lead: string,
  inline: () => string,
): string {
  const [child, next] = children.slice(index, index + 2);
  if (child && next) return text.slice(child.end, startOf(next));
  return hasBreak(lead) ? `,${lead}` : inline();
}

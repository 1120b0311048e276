import { documentText, isObject, type JsonValue, parseDocument } from '../core/json/json.ts';
import { pointerSteps } from '../core/json/pointer.ts';
import { type Child, childrenAt } from '../core/json/positions.ts';
import type { Document } from './document.ts';
import {
  colonOf,
  commaAfter,
  hasBreak,
  indentOf,
  type Layout,
  layoutOf,
  lineIndent,
  startOf,
  write,
} from './layout.ts';

/**
 * Edits a document by inserting one piece of text. The rest is preserved byte for byte: indentation, key order, unknown
 * fields, number and string notation, line endings and the final newline.
 */

/** Adds a member to the object at `pointer`, after the others. The name must not exist yet. */
export function addMember(document: Document, pointer: string, name: string, value: JsonValue): Document {
  return insert(document, { pointer, index: Infinity, name, value });
}

/** Adds an element to the array at `pointer`, before the one at `index`; Infinity for the end. */
export function addElement(document: Document, pointer: string, index: number, value: JsonValue): Document {
  return insert(document, { pointer, index, name: null, value });
}

/** The value to insert into the container at `pointer`; `name` is null for an element of an array. */
interface Insertion {
  pointer: string;
  index: number;
  name: string | null;
  value: JsonValue;
}

function insert(document: Document, { pointer, index: wanted, name, value }: Insertion): Document {
  const { text } = document;
  const container = childrenAt(text, pointer);
  if (container === null) throw new Error(`the document has no object or array at "${pointer}"`);
  const { span, children } = container;
  // Computed on demand: it scans the whole document, and usually the siblings suffice.
  let known: Layout | null = null;
  const layout = (): Layout => (known ??= layoutOf(text));
  const index = Math.min(wanted, children.length);
  const put = (offset: number, piece: string): Document =>
    checkedResult(document, text.slice(0, offset) + piece + text.slice(offset), pointer, (before, after) =>
      isGrown(before, after, { index, name, value }),
    );

  const [first] = children;
  if (first === undefined) {
    const space = text.slice(span.start + 1, span.end - 1);
    const { before, after, indent, lines, offset } = insideEmpty(text, span.start, space, layout());
    return put(offset, before + node(name, write(value, null, layout, indent, lines), layout().colon) + after);
  }

  const lead = text.slice(span.start + 1, startOf(first));
  const next = children[index];
  const last = children.at(-1) ?? first;
  // The separator between the adjacent siblings is reused for the new one.
  const between = next === undefined ? Math.max(0, index - 2) : Math.max(0, index - 1);
  const comma = commaAfter(text, children, between, lead, () => layout().comma);
  const sibling = nearest(text, children, index, value);
  const lines = hasBreak(comma);
  const indent = lines ? indentOf(comma) : lineIndent(text, span.start);
  const like = sibling === null ? null : text.slice(sibling.start, sibling.end);
  const colon = name === null ? '' : colonOf(text, next ?? last);
  const piece = node(name, write(value, like, layout, indent, lines), colon);
  return next === undefined ? put(last.end, comma + piece) : put(startOf(next), piece + comma);
}

function node(name: string | null, value: string, colon: string): string {
  return name === null ? value : JSON.stringify(name) + colon + value;
}

/** The text around the first child of an empty container; `space` is its current content and is preserved. */
function insideEmpty(
  text: string,
  start: number,
  space: string,
  layout: Layout,
): { before: string; after: string; indent: string; lines: boolean; offset: number } {
  const own = lineIndent(text, start);
  const inner = own + layout.unit;
  const first = start + 1;
  // The existing line break becomes the one before the closing bracket.
  if (hasBreak(space)) return { before: layout.eol + inner, after: '', indent: inner, lines: true, offset: first };
  if (!layout.lines)
    return {
      before: space === '' ? layout.pad : '',
      after: space || layout.pad,
      indent: '',
      lines: false,
      offset: first + space.length,
    };
  // Existing space becomes part of the closing line's indentation if it matches.
  if (own.endsWith(space))
    return {
      before: layout.eol + inner,
      after: layout.eol + own.slice(0, own.length - space.length),
      indent: inner,
      lines: true,
      offset: first,
    };
  return {
    before: layout.eol + inner,
    after: layout.eol + own,
    indent: inner,
    lines: true,
    offset: first + space.length,
  };
}

/** The nearest child that can be a model for `value`: a non-empty container of the same kind. */
function nearest(text: string, children: readonly Child[], index: number, value: JsonValue): Child | null {
  if (typeof value !== 'object' || value === null) return null;
  const open = Array.isArray(value) ? '[' : '{';
  const isModel = ({ start, end }: Child): boolean =>
    text[start] === open && text.slice(start + 1, end - 1).trim() !== '';
  for (let distance = 1; distance <= children.length; distance++) {
    // Not children.at(): a negative index means that the child does not exist.
    for (const child of [children[index - distance], children[index + distance - 1]])
      if (child !== undefined && isModel(child)) return child;
  }
  return null;
}

/** True if the value that a pointer names changed as intended. */
type IsIntended = (before: JsonValue | undefined, after: JsonValue | undefined) => boolean;

/** The document with the new text, of which only the value at `pointer` may differ, as intended; else this is a bug. */
export function checkedResult(before: Document, text: string, pointer: string, isIntended: IsIntended): Document {
  const content = documentText(text);
  const { value, duplicates } = parseDocument(content);
  if (
    value === undefined ||
    duplicates.length > 0 ||
    !isChanged(before.value, value, pointerSteps(pointer), isIntended)
  )
    throw new Error(`the edit at ${pointer} changed something else`);
  return { path: before.path, text, value, content };
}

function isChanged(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  steps: readonly string[],
  isIntended: IsIntended,
): boolean {
  const [step, ...rest] = steps;
  if (step === undefined) return isIntended(before, after);
  if (!isObject(before) || !isObject(after)) return false;
  const names = Object.keys(before);
  if (names.length !== Object.keys(after).length) return false;
  return names.every((name) => {
    if (!Object.hasOwn(after, name)) return false;
    return name === step ? isChanged(before[name], after[name], rest, isIntended) : isSame(before[name], after[name]);
  });
}

function isGrown(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  { index, name, value }: Omit<Insertion, 'pointer'>,
): boolean {
  if (Array.isArray(before) && Array.isArray(after) && name === null)
    return isSame([...before.slice(0, index), value, ...before.slice(index)], after);
  if (!isObject(before) || !isObject(after) || name === null) return false;
  return isSame(Object.fromEntries([...Object.entries(before), [name, value]]), after);
}

/** Equal as JSON: the order of members does not matter. */
export function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => isSame(item, b[i]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  );
}

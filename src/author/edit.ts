import { documentText } from '../core/registry/document-text.ts';
import { childrenAt } from '../core/json/positions.ts';
import { isObject, type JsonValue, parseDocument } from '../core/json/json.ts';
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

/**
 * Adds a member to the object at `pointer`, after the others.
 * @param text a document that `usable` accepts; the name must not exist yet
 */
export function addMember(text: string, pointer: string, name: string, value: JsonValue): string {
  return insert(text, pointer, Infinity, name, value);
}

/** Adds an element to the array at `pointer`, before the one at `index`; Infinity for the end. */
export function addElement(text: string, pointer: string, index: number, value: JsonValue): string {
  return insert(text, pointer, index, null, value);
}

function insert(text: string, pointer: string, wanted: number, name: string | null, value: JsonValue): string {
  const { span, children } = childrenAt(text, pointer)!;
  // Computed on demand: it scans the whole document, and usually the siblings suffice.
  let known: Layout | null = null;
  const layout = (): Layout => (known ??= layoutOf(text));
  const index = Math.min(wanted, children.length);
  const put = (at: number, piece: string): string => checked(text, at, piece, { pointer, index, name, value });

  if (children.length === 0) {
    const space = text.slice(span.start + 1, span.end - 1);
    const { before, after, indent, lines, at } = insideEmpty(text, span.start, space, layout());
    return put(at, before + node(name, write(value, null, layout, indent, lines), layout().colon) + after);
  }

  const lead = text.slice(span.start + 1, startOf(children[0]!));
  const last = index === children.length;
  // The separator between the adjacent siblings is reused for the new one.
  const between = last ? Math.max(0, index - 2) : Math.max(0, index - 1);
  const comma = commaAfter(text, children, between, lead, () => layout().comma);
  const sibling = nearest(text, children, index, value);
  const lines = hasBreak(comma);
  const indent = lines ? indentOf(comma) : lineIndent(text, span.start);
  const like = sibling === null ? null : text.slice(children[sibling]!.start, children[sibling]!.end);
  const colon = name === null ? '' : colonOf(text, children[Math.min(index, children.length - 1)]!);
  const piece = node(name, write(value, like, layout, indent, lines), colon);
  return last ? put(children.at(-1)!.end, comma + piece) : put(startOf(children[index]!), piece + comma);
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
): { before: string; after: string; indent: string; lines: boolean; at: number } {
  const own = lineIndent(text, start);
  const inner = own + layout.unit;
  const first = start + 1;
  // The existing line break becomes the one before the closing bracket.
  if (hasBreak(space)) return { before: layout.eol + inner, after: '', indent: inner, lines: true, at: first };
  if (!layout.lines)
    return {
      before: space === '' ? layout.pad : '',
      after: space || layout.pad,
      indent: '',
      lines: false,
      at: first + space.length,
    };
  // Existing space becomes part of the closing line's indentation if it matches.
  if (own.endsWith(space))
    return {
      before: layout.eol + inner,
      after: layout.eol + own.slice(0, own.length - space.length),
      indent: inner,
      lines: true,
      at: first,
    };
  return { before: layout.eol + inner, after: layout.eol + own, indent: inner, lines: true, at: first + space.length };
}

/** The nearest child that can be a model for `value`: a non-empty container of the same kind. */
function nearest(
  text: string,
  children: readonly { start: number; end: number }[],
  index: number,
  value: JsonValue,
): number | null {
  if (typeof value !== 'object' || value === null) return null;
  const open = Array.isArray(value) ? '[' : '{';
  const fits = (at: number): boolean => {
    const child = children[at];
    return (
      child !== undefined && text[child.start] === open && text.slice(child.start + 1, child.end - 1).trim() !== ''
    );
  };
  for (let away = 1; away <= children.length; away++) {
    if (fits(index - away)) return index - away;
    if (fits(index + away - 1)) return index + away - 1;
  }
  return null;
}

interface Change {
  pointer: string;
  index: number;
  name: string | null;
  value: JsonValue;
}

/** The new text, after parsing it as a check: it must equal the old value plus the change; otherwise this is a bug. */
function checked(text: string, at: number, piece: string, change: Change): string {
  const edited = text.slice(0, at) + piece + text.slice(at);
  const before = parseDocument(documentText(text)).value;
  const { value: after, duplicates } = parseDocument(documentText(edited));
  if (duplicates.length > 0 || !isChanged(before, after, change.pointer.split('/').slice(1), change)) {
    throw new Error(`an edit at ${change.pointer} came out wrong`);
  }
  return edited;
}

function isChanged(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  steps: readonly string[],
  change: Change,
): boolean {
  const [step, ...rest] = steps;
  if (step === undefined) return isGrown(before, after, change);
  if (!isObject(before) || !isObject(after)) return false;
  const names = Object.keys(before);
  if (names.length !== Object.keys(after).length) return false;
  return names.every((name) => {
    if (!Object.hasOwn(after, name)) return false;
    return name === step ? isChanged(before[name], after[name], rest, change) : isSame(before[name]!, after[name]!);
  });
}

function isGrown(before: JsonValue | undefined, after: JsonValue | undefined, { index, name, value }: Change): boolean {
  if (Array.isArray(before) && Array.isArray(after) && name === null)
    return isSame([...before.slice(0, index), value, ...before.slice(index)], after);
  if (!isObject(before) || !isObject(after) || name === null) return false;
  return isSame(Object.fromEntries([...Object.entries(before), [name, value]]), after);
}

/** Equal as JSON: the order of members does not matter. */
export function isSame(a: JsonValue, b: JsonValue): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i]!));
  }
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(a[name]!, b[name]!))
  );
}

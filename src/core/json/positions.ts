import { pointerStep, pointerSteps } from './pointer.ts';

/**
 * Finds positions in JSON text without building a tree. Everything but `survey` requires text that `JSON.parse` accepts
 * (after an optional BOM) and bounded nesting, and relies on it: values are skipped without validation.
 */

/** Offsets into the text, in UTF-16 code units; `nameStart` if the value is a member of an object. */
export interface Span {
  start: number;
  end: number;
  nameStart: number | null;
}
export interface Child extends Span {
  name: string | number;
}
export interface Duplicate {
  pointer: string;
  name: string;
  /** Offset of the later occurrence's name, and of the first one's. */
  offset: number;
  first: number;
}

const SPACE = 32,
  QUOTE = 34,
  COMMA = 44,
  COLON = 58,
  OPEN_ARRAY = 91,
  CLOSE_ARRAY = 93,
  OPEN_OBJECT = 123,
  CLOSE_OBJECT = 125;

/** Deeper nesting is refused: real documents need five levels. */
export const MAX_DEPTH = 64;

/** Counts of a text's brackets, colons and commas. */
interface Survey {
  /** Of nesting. */
  depth: number;
  /** The offset of the first bracket at that depth; 0 without one. */
  deepestAt: number;
  /** Of all objects. */
  members: number;
  /** Members of all objects and elements of all arrays; an empty one counts as if it had one. */
  entries: number;
}

/** Surveys a text without reading its values; stops early beyond a depth of `limit`. Accepts any text. */
export function survey(text: string, limit: number): Survey {
  let depth = 0,
    deepest = 0,
    deepestAt = 0,
    members = 0,
    entries = 0;
  const { length } = text;
  for (let i = 0; i < length; i++) {
    const c = text.charCodeAt(i);
    // Most of an indented text.
    if (c <= SPACE) continue;
    if (c === QUOTE) i = endOfString(text, i) - 1;
    else if (c === COLON) members++;
    else if (c === COMMA) entries++;
    else if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
      entries++;
      if (++depth > deepest) {
        deepest = depth;
        deepestAt = i;
        if (depth > limit) break;
      }
    } else if (c === CLOSE_OBJECT || c === CLOSE_ARRAY) depth--;
  }
  return { depth: deepest, deepestAt, members, entries };
}

/** The offset after the string that starts at `i`; the text's length if it is unterminated. */
function endOfString(text: string, i: number): number {
  let end = i;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    let back = end - 1;
    while (text.charCodeAt(back) === 92) back--;
    if ((end - back) % 2 === 1) return end + 1;
  }
}

function skipSpace(text: string, i: number): number {
  for (;;) {
    const c = text.charCodeAt(i);
    if (c !== 32 && c !== 10 && c !== 13 && c !== 9 && c !== 0xfeff) return i;
    i++;
  }
}

function endOfValue(text: string, i: number): number {
  const first = text.charCodeAt(i);
  if (first === QUOTE) return endOfString(text, i);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
    let depth = 0;
    for (; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === QUOTE) i = endOfString(text, i) - 1;
      else if (c === OPEN_OBJECT || c === OPEN_ARRAY) depth++;
      else if ((c === CLOSE_OBJECT || c === CLOSE_ARRAY) && --depth === 0) return i + 1;
    }
    return i;
  }
  while (i < text.length) {
    const c = text.charCodeAt(i);
    if (c === COMMA || c === CLOSE_ARRAY || c === CLOSE_OBJECT || c === 32 || c === 10 || c === 13 || c === 9) break;
    i++;
  }
  return i;
}

function nameAt(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  return raw.includes('\\') ? JSON.parse(text.slice(start, end)) : raw;
}

/** Calls `visit` for each child of the container that starts at `i`; `visit` returns the offset after the value. */
function eachChild(
  text: string,
  i: number,
  visit: (name: string | number, nameStart: number | null, start: number) => number,
): number {
  const isArray = text.charCodeAt(i) === OPEN_ARRAY;
  i = skipSpace(text, i + 1);
  for (let index = 0; i < text.length; index++) {
    const c = text.charCodeAt(i);
    if (c === CLOSE_ARRAY || c === CLOSE_OBJECT) return i + 1;
    if (isArray) i = visit(index, null, i);
    else {
      const nameStart = i;
      const nameEnd = endOfString(text, i);
      const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
      i = visit(nameAt(text, nameStart, nameEnd), nameStart, start);
    }
    i = skipSpace(text, i);
    if (text.charCodeAt(i) === COMMA) i = skipSpace(text, i + 1);
  }
  return i;
}

function isContainer(text: string, i: number): boolean {
  const c = text.charCodeAt(i);
  return c === OPEN_OBJECT || c === OPEN_ARRAY;
}

interface Want {
  span: Span | null;
  children: Map<string, Want> | null;
}

/**
 * Locates the values named by JSON Pointers, all in one pass. A pointer without a target is absent from the map; a
 * repeated name means its last occurrence, as in `JSON.parse`.
 */
export function locate(text: string, pointers: Iterable<string>): Map<string, Span> {
  const root: Want = { span: null, children: null };
  const wants = new Map<string, Want>();
  for (const pointer of pointers) {
    let want = root;
    for (const name of pointerSteps(pointer)) {
      want.children ??= new Map();
      let child = want.children.get(name);
      if (!child) want.children.set(name, (child = { span: null, children: null }));
      want = child;
    }
    wants.set(pointer, want);
  }
  const start = skipSpace(text, 0);
  root.span = { start, end: walk(text, start, root), nameStart: null };
  const found = new Map<string, Span>();
  for (const [pointer, want] of wants) if (want.span) found.set(pointer, want.span);
  return found;
}

function walk(text: string, i: number, want: Want): number {
  const { children } = want;
  if (!children || !isContainer(text, i)) return endOfValue(text, i);
  return eachChild(text, i, (name, nameStart, start) => {
    const child = children.get(String(name));
    if (!child) return endOfValue(text, start);
    if (child.span) forget(child);
    const end = walk(text, start, child);
    child.span = { start, end, nameStart };
    return end;
  });
}

/** Results inside an earlier occurrence of a name are discarded. */
function forget(want: Want): void {
  for (const child of want.children?.values() ?? []) {
    child.span = null;
    forget(child);
  }
}

/** The children of the object or array at `pointer`; null if it does not exist. */
export function childrenAt(text: string, pointer: string): { span: Span; children: Child[] } | null {
  const span = locate(text, [pointer]).get(pointer);
  if (!span || !isContainer(text, span.start)) return null;
  const children: Child[] = [];
  eachChild(text, span.start, (name, nameStart, start) => {
    const end = endOfValue(text, start);
    children.push({ name, nameStart, start, end });
    return end;
  });
  return { span, children };
}

/** Repeated names within one object, at most 100 of them. */
export function duplicateNames(text: string): Duplicate[] {
  const found: Duplicate[] = [];
  const visit = (start: number, pointer: string): number => {
    if (!isContainer(text, start)) return endOfValue(text, start);
    const seen = new Map<string, number>();
    return eachChild(text, start, (name, nameStart, valueStart) => {
      const here = pointer + pointerStep(name);
      if (typeof name === 'string' && nameStart !== null) {
        const first = seen.get(name);
        if (first === undefined) seen.set(name, nameStart);
        else if (found.length < 100) found.push({ pointer: here, name, offset: nameStart, first });
      }
      return visit(valueStart, here);
    });
  };
  visit(skipSpace(text, 0), '');
  return found;
}

/** The offsets at which the lines of a text start; a BOM is not part of the first line. */
export function lineStarts(text: string): number[] {
  const starts = [text.charCodeAt(0) === 0xfeff ? 1 : 0];
  for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return starts;
}

/** Line and column of an offset, both 1-based; columns count UTF-16 code units. */
export function positionOf(starts: readonly number[], offset: number): { line: number; column: number } {
  let low = 0,
    high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: Math.max(1, offset - starts[low]! + 1) };
}

import { isObject, type JsonValue } from '../core/json/json.ts';
import { childrenAt, locate } from '../core/json/positions.ts';
import type { Document } from './document.ts';
import { checkedResult, isSame } from './edit.ts';
import { startOf } from './layout.ts';

/** Edits a document by replacing or removing one piece of text; every other byte is preserved. */

/** Replaces the value at `pointer`, which must exist. */
export function replaceText(document: Document, pointer: string, value: string): Document {
  const { text } = document;
  const span = locate(text, [pointer]).get(pointer);
  if (span === undefined) throw new Error(`the document has no value at "${pointer}"`);
  const edited = text.slice(0, span.start) + JSON.stringify(value) + text.slice(span.end);
  return checkedResult(document, edited, pointer, (_, after) => after === value);
}

/** Removes a member, which must exist, from the object at `pointer`, with the comma that separated it. */
export function removeMember(document: Document, pointer: string, name: string): Document {
  const { text } = document;
  const container = childrenAt(text, pointer);
  const index = container?.children.findIndex((child) => child.name === name) ?? -1;
  const child = container?.children[index];
  if (!container || !child) throw new Error(`the object at "${pointer}" has no member "${name}"`);
  const { span, children } = container;
  const before = children[index - 1];
  const next = children[index + 1];
  let [from, to] = [span.start + 1, span.end - 1];
  // The last member takes the comma before it along; an empty object keeps no white space.
  if (next !== undefined) [from, to] = [startOf(child), startOf(next)];
  else if (before !== undefined) [from, to] = [before.end, child.end];
  return checkedResult(document, text.slice(0, from) + text.slice(to), pointer, (old, after) =>
    isSame(without(old, name), after),
  );
}

function without(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
}

import { documentText } from '../core/registry/document-text.ts';
import { lineStarts, locate, positionOf } from '../core/json/positions.ts';
import {
  isObject,
  type JsonObject,
  type JsonValue,
  MAX_DEPTH,
  member,
  type ParsedDocument,
  parseDocument,
} from '../core/json/json.ts';
import type { DocumentContent } from '../core/facts/facts.ts';
import { pointerTo } from '../core/json/pointer.ts';
import { printable, shorten } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';

/** Determines which documents may be edited: those that all parsers read alike, with the container to edit. */

/**
 * The value of a document that may be edited, and its text.
 * @param file its name in messages
 * @throws AppregError `document-invalid` (exit 1) with line and column, for anything that parsers could read
 * differently: a syntax error, invalid UTF-8, a byte order mark, a duplicate name, excessive depth or size
 */
export function usable(content: DocumentContent, file: string): { text: string; value: JsonValue } {
  const reading = parseDocument(content);
  const complaint = complaintAbout(reading, content);
  if (complaint) throw unusable(file, content.text, complaint);
  return { text: content.text!, value: reading.value! };
}

/** The `apps` of a manifest. @throws AppregError as `usable` does, and if it is missing or not an object */
export function appsIn(text: string, file: string): JsonObject {
  const { value } = usable(documentText(text), file);
  const apps = member(value, 'apps');
  if (isObject(apps)) return apps;
  throw unusable(file, text, shapeComplaint(text, value, 'apps', 'object', '{}'));
}

/** The `versions` of a metadata file. @throws AppregError as `usable` does, and if it is missing or not an array */
export function versionsIn(text: string, file: string): JsonValue[] {
  const { value } = usable(documentText(text), file);
  const versions = member(value, 'versions');
  if (Array.isArray(versions)) return versions;
  throw unusable(file, text, shapeComplaint(text, value, 'versions', 'array', '[]'));
}

interface Complaint {
  message: string;
  advice: string;
  /** UTF-16 offset, or null for the whole document. */
  offset: number | null;
}

function complaintAbout(
  { fault, oversized, byteOrderMark, duplicates }: ParsedDocument,
  { text }: DocumentContent,
): Complaint | null {
  if (fault) return { message: fault.message, advice: fault.advice, offset: text === null ? null : fault.offset };
  if (oversized === 'depth')
    return {
      message: `It is nested more than ${MAX_DEPTH} levels deep.`,
      advice: 'Take out what nests so deep; the format itself needs five levels.',
      offset: null,
    };
  if (oversized)
    return {
      message: 'It is larger than any registry needs.',
      advice: 'Check that this is the right file.',
      offset: null,
    };
  if (byteOrderMark)
    return {
      message: 'It begins with a byte order mark (U+FEFF), which JSON does not allow.',
      advice: 'Save it as UTF-8 without a byte order mark (appreg lint --fix does that).',
      offset: 0,
    };
  const [twice] = duplicates;
  if (!twice) return null;
  const name = printable(shorten(twice.name, 80));
  return {
    message: `The name “${name}” stands twice in one object; readers differ in which one counts.`,
    advice: 'Remove or rename one of the two.',
    offset: twice.offset,
  };
}

function shapeComplaint(text: string, value: JsonValue, name: string, kind: string, empty: string): Complaint {
  const at = (pointer: string): number => locate(text, [pointer]).get(pointer)?.start ?? 0;
  if (!isObject(value))
    return {
      message: 'The document is not a JSON object.',
      advice: `Begin with { "${name}": ${empty} }.`,
      offset: at(''),
    };
  if (!Object.hasOwn(value, name))
    return { message: `The field “${name}” is missing.`, advice: `Add "${name}": ${empty}.`, offset: at('') };
  return {
    message: `The field “${name}” is not an ${kind}.`,
    advice: `Make it an ${kind}, like ${empty}.`,
    offset: at(pointerTo(name)),
  };
}

function unusable(file: string, text: string | null, { message, advice, offset }: Complaint): AppregError {
  let place = printable(file);
  if (text !== null && offset !== null) {
    const { line, column } = positionOf(lineStarts(text), offset);
    place += `:${line}:${column}`;
  }
  return new AppregError(
    'document-invalid',
    `${place}: ${message} The file was left as it is.`,
    `${advice} appreg lint lists everything that is wrong with it.`,
  );
}

import { message } from '../core/text/message.ts';
import {
  documentText,
  isObject,
  type JsonObject,
  type JsonValue,
  MAX_DEPTH,
  type ParsedDocument,
  parseDocument,
} from '../core/json/json.ts';
import { lineStarts, locate, positionOf } from '../core/json/positions.ts';
import { misplacedDocument, otherFormat } from '../core/registry/other-document.ts';
import { listedVersions, manifestApps } from '../core/registry/manifest.ts';
import type { DocumentContent } from '../core/json/content.ts';
import { pointerTo } from '../core/json/pointer.ts';
import { printable, shorten } from '../core/text/text.ts';
import { AppregError } from '../core/errors/error.ts';

/**
 * A JSON document that may be edited, because all parsers that accept it read it alike. It is read and parsed once, and
 * then passed as a value: an edit returns another one, with the same byte order mark or none.
 */
export interface Document {
  /** Its path in the store, and its name in messages. */
  readonly path: string;
  readonly text: string;
  readonly value: JsonValue;
  /** The text as facts, for the rules. */
  readonly content: DocumentContent;
}

/**
 * The document with this content.
 * @throws AppregError `document-invalid` (exit 1) with line and column, for anything that parsers could read
 * differently: a syntax error, invalid UTF-8, a duplicate name, excessive depth or size
 */
export function openDocument(content: DocumentContent, path: string): Document {
  const parsed = parseDocument(content);
  const { text } = content;
  const { value } = parsed;
  const problem = problemOf(parsed, content);
  if (problem !== null) throw unusable(path, text, problem);
  if (text === null || value === undefined) throw new Error(`${path} has neither a value nor an error`);
  return { path, text, value, content };
}

/** The document with this text, which is not stored yet. @throws AppregError as `openDocument` does */
export function documentWithText(text: string, path: string): Document {
  return openDocument(documentText(text), path);
}

/** The `apps` of a manifest. @throws AppregError `document-invalid` (exit 1) if it is missing or not an object */
export function requireApps({ path, text, value }: Document): JsonObject {
  const apps = manifestApps(value);
  if (apps !== null) return apps;
  throw unusable(path, text, wrongShape(text, value, 'apps', 'object', '{}'));
}

/** The `versions` of a metadata file. @throws AppregError `document-invalid` (exit 1) if it is missing or not an array */
export function requireVersions({ path, text, value }: Document): JsonValue[] {
  const versions = listedVersions(value);
  if (versions !== null) return versions;
  throw unusable(path, text, wrongShape(text, value, 'versions', 'array', '[]'));
}

/** The reason why a document must not be edited. */
interface DocumentProblem {
  message: string;
  advice: string;
  /** UTF-16 offset, or null for the whole document. */
  offset: number | null;
}

function problemOf(
  { fault, oversized, tooDeepAt, duplicates }: ParsedDocument,
  { text }: DocumentContent,
): DocumentProblem | null {
  if (fault) return { message: fault.message, advice: fault.advice, offset: text === null ? null : fault.offset };
  if (oversized === 'depth')
    return {
      message: `The document is nested more than ${MAX_DEPTH} levels deep.`,
      advice: 'Remove the deep nesting; the format needs only five levels.',
      offset: tooDeepAt,
    };
  if (oversized)
    return {
      message: 'The document is larger than any registry needs.',
      advice: 'Check that this is the right file.',
      offset: null,
    };
  const [twice] = duplicates;
  if (!twice) return null;
  const name = printable(shorten(twice.name, 80));
  return {
    message: `The name “${name}” occurs twice in one object; parsers differ in which one they use.`,
    advice: 'Remove or rename one of the two.',
    offset: twice.offset,
  };
}

function wrongShape(text: string, value: JsonValue, name: string, kind: string, empty: string): DocumentProblem {
  const at = (pointer: string): number => locate(text, [pointer]).get(pointer)?.start ?? 0;
  const resource = name === 'apps' ? 'manifest' : 'metadata';
  const other = misplacedDocument(resource, value) ?? otherFormat(resource, value);
  if (other !== null) return { message: other.message, advice: other.advice, offset: at('') };
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

function unusable(
  path: string,
  text: string | null,
  { message: summary, advice, offset }: DocumentProblem,
): AppregError {
  let place = printable(path);
  if (text !== null && offset !== null) {
    const { line, column } = positionOf(lineStarts(text), offset);
    place += `:${line}:${column}`;
  }
  return new AppregError(
    'document-invalid',
    message`${place}: ${summary} The file was left as it is.`,
    message`${advice} appreg lint lists all of its errors.`,
  );
}

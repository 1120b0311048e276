import type { DocumentContent } from './content.ts';
import { textAroundJson } from './program-output.ts';
import type { DocumentSyntaxError } from './document-syntax-error.ts';
import { foreignKind, syntaxErrorInBytes } from './foreign-text.ts';
import { grammarError } from './grammar.ts';
import { type Duplicate, duplicateNames, MAX_DEPTH, survey } from './positions.ts';
import { isObject, type JsonObject, type JsonValue, member, stringOrNull } from './values.ts';

/**
 * Reads a JSON document strictly, and fast if it is valid: `JSON.parse` creates the value, and one pass over the text
 * finds what the value hides (depth, repeated names). Positions are resolved only for findings: positions.ts.
 */

export { isObject, type JsonObject, type JsonValue, MAX_DEPTH, member, stringOrNull };

/** A parsed JSON document, or the reason why it is not one. */
export interface ParsedDocument {
  /** The value, or undefined when the text is not JSON or was cut off. */
  value: JsonValue | undefined;
  /** The reason why there is no value; a lone surrogate is a fault that does not discard the value. */
  fault: DocumentSyntaxError | null;
  /** The limit that the document exceeds, or null. */
  oversized: 'bytes' | 'depth' | null;
  /** The UTF-16 offset (BOM included) at which the limit of nesting is exceeded, or null. */
  tooDeepAt: number | null;
  byteOrderMark: boolean;
  duplicates: readonly Duplicate[];
}

// An escape that may be half of a surrogate pair; complete pairs, as many writers escape emoji, need no second pass.
const LONE_SURROGATE_ESCAPE =
  /\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]/;

const NOTHING: ParsedDocument = {
  value: undefined,
  fault: null,
  oversized: null,
  tooDeepAt: null,
  byteOrderMark: false,
  duplicates: [],
};

const READING = Symbol('reading');

interface ReadContent extends DocumentContent {
  readonly [READING]?: ParsedDocument;
}

/**
 * Reads a document once: the result is kept with it, invisibly, and is released with it. The entries of a `WeakMap`
 * would outlive thousands of documents, until the next full garbage collection. Never throws.
 */
export function parseDocument(content: DocumentContent): ParsedDocument {
  const known = (content as ReadContent)[READING];
  if (known !== undefined) return known;
  const reading = read(content);
  if (Object.isExtensible(content)) Object.defineProperty(content, READING, { value: reading });
  return reading;
}

/** The bytes of a document as facts. For environments without `Buffer`; the result equals that of the observers. */
export function documentContent(bytes: Uint8Array): DocumentContent {
  const size = bytes.byteLength;
  try {
    return {
      text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
      base64: null,
      bytes: size,
      cut: false,
    };
  } catch {
    let binary = '';
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return { text: null, base64: btoa(binary), bytes: size, cut: false };
  }
}

function read(content: DocumentContent): ParsedDocument {
  const { text } = content;
  if (content.cut) return unreadable({ oversized: 'bytes' });
  if (text === null) return unreadable({ fault: syntaxErrorInBytes(content.base64 ?? '') });
  const byteOrderMark = text.charCodeAt(0) === 0xfeff;
  const json = byteOrderMark ? text.slice(1) : text;
  const { depth, deepestAt, members } = survey(json, MAX_DEPTH);
  if (depth > MAX_DEPTH) {
    // Brackets in a web page mean nothing, so it is reported as a page.
    const fault = foreignKind(json);
    if (fault !== null) return unreadable({ byteOrderMark, fault });
    return unreadable({ byteOrderMark, oversized: 'depth', tooDeepAt: deepestAt + (byteOrderMark ? 1 : 0) });
  }
  const value = parsed(json);
  if (value === undefined) return unreadable({ byteOrderMark, fault: syntaxErrorInText(text) });
  const duplicates = countMembers(value) === members ? [] : duplicateNames(text);
  const fault = json.includes('\\u') && LONE_SURROGATE_ESCAPE.test(json) ? syntaxErrorInText(text) : null;
  return { ...NOTHING, value, fault, byteOrderMark, duplicates };
}

function unreadable(found: Partial<ParsedDocument>): ParsedDocument {
  return { ...NOTHING, ...found };
}

function parsed(json: string): JsonValue | undefined {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function countMembers(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countMembers(item);
    return count;
  }
  const names = Object.keys(value);
  for (const name of names) {
    const member = value[name]!;
    if (typeof member === 'object') count += countMembers(member);
  }
  return count + names.length;
}

/**
 * The fault of text that is not JSON, or that contains a lone surrogate; null if there is none. The nesting must be
 * bounded: call `survey` first.
 */
export function syntaxErrorInText(text: string): DocumentSyntaxError | null {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const foreign = foreignKind(text.slice(start));
  if (foreign !== null) return foreign;
  const found = grammarError(text, start);
  // A lone surrogate is a fault of otherwise complete JSON.
  return found === null || found.cause === 'lone-surrogate' ? found : textAroundJson(text, start, found);
}

/** Text as the content of a document, in UTF-8. */
export function documentText(text: string): DocumentContent {
  return { text, base64: null, bytes: new TextEncoder().encode(text).length, cut: false };
}

/** The byte order mark with which a text begins; otherwise an empty text. An edit of a file preserves it. */
export function byteOrderMarkOf(text: string): string {
  return text.startsWith('\ufeff') ? '\ufeff' : '';
}

import type { DocumentContent } from '../facts/facts.ts';
import { canonicalForm, type CanonicalForm } from '../fast-path/canonical-form.ts';
import { textAroundJson } from '../http/program-output.ts';
import { hasCanonicalHost } from '../http/url.ts';
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

export interface ParsedDocument {
  /** The value, or undefined when the text is not JSON or was cut off. */
  value: JsonValue | undefined;
  /** Why there is no value; a lone surrogate is a fault that does not discard the value. */
  fault: DocumentSyntaxError | null;
  /** The limit that the document exceeds, or null. */
  oversized: 'bytes' | 'depth' | null;
  byteOrderMark: boolean;
  duplicates: readonly Duplicate[];
}

// An escape that may be half of a surrogate pair; complete pairs, as many writers escape emoji, need no second pass.
const LONE_SURROGATE_ESCAPE =
  /\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]/;

/** A document, and its value without the canonical entries (canonical-form.ts); null if it is not canonical. */
interface Reading extends ParsedDocument {
  nonCanonical: JsonObject | null;
}

const NOTHING: Reading = {
  value: undefined,
  fault: null,
  oversized: null,
  byteOrderMark: false,
  duplicates: [],
  nonCanonical: null,
};

const readings = new WeakMap<DocumentContent, Reading>();

function readingOf(content: DocumentContent): Reading {
  let reading = readings.get(content);
  if (!reading) {
    reading = read(content);
    readings.set(content, reading);
  }
  return reading;
}

/** Reads a document once: the result is cached per object. Never throws. */
export function parseDocument(content: DocumentContent): ParsedDocument {
  return readingOf(content);
}

/** A document's value without the entries in canonical form; null if the document as a whole is not canonical. */
export function nonCanonicalValue(content: DocumentContent): JsonObject | null {
  return readingOf(content).nonCanonical;
}

/** Reads a document whose text is already known to be canonical, for example from another thread. */
export function assumeCanonical(content: DocumentContent, form: CanonicalForm): void {
  const canonical = readCanonical(content.text ?? '', form);
  if (canonical === null) return;
  readings.set(content, { ...NOTHING, ...canonical });
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

function read(content: DocumentContent): Reading {
  const { text } = content;
  if (content.cut) return unreadable({ oversized: 'bytes' });
  if (text === null) return unreadable({ fault: syntaxErrorInBytes(content.base64 ?? '') });
  const byteOrderMark = text.charCodeAt(0) === 0xfeff;
  const json = byteOrderMark ? text.slice(1) : text;
  const canonical = readCanonical(json, canonicalForm(json));
  if (canonical !== null) return { ...NOTHING, ...canonical, byteOrderMark };
  const { depth, members } = survey(json, MAX_DEPTH);
  if (depth > MAX_DEPTH) {
    // Brackets in a web page mean nothing, so it is reported as a page.
    const fault = foreignKind(json);
    return unreadable({ byteOrderMark, fault, oversized: fault ? null : 'depth' });
  }
  const value = parsed(json);
  if (value === undefined) return unreadable({ byteOrderMark, fault: syntaxErrorInText(text) });
  const duplicates = countMembers(value) === members ? [] : duplicateNames(text);
  const fault = LONE_SURROGATE_ESCAPE.test(json) ? syntaxErrorInText(text) : null;
  return { value, fault, oversized: null, byteOrderMark, duplicates, nonCanonical: null };
}

function unreadable(found: Partial<ParsedDocument>): Reading {
  return { ...NOTHING, ...found };
}

function parsed(json: string): JsonValue | undefined {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Null if the document is not canonical, or has a text fault or a repeated name. */
function readCanonical(
  json: string,
  form: CanonicalForm | null,
): { value: JsonValue; nonCanonical: JsonObject } | null {
  if (form === null) return null;
  let members = 0;
  for (const { start, end } of form.others) {
    const part = json.slice(start, end);
    const found = survey(part, MAX_DEPTH);
    if (found.depth > MAX_DEPTH - 2 || LONE_SURROGATE_ESCAPE.test(part)) return null;
    members += found.members;
  }
  const value = parsed(json);
  if (value === undefined) return null;
  const all = member(value, form.field);
  if (Array.isArray(all))
    return all.length === form.count && all.every(isCanonicalVersion)
      ? { value, nonCanonical: { versions: [] } }
      : null;
  if (!isObject(all)) return null;
  const others = Object.fromEntries(form.others.map(({ name }) => [name, member(all, name) ?? null]));
  const keys = Object.keys(all);
  if (keys.length !== form.count || countMembers(others) !== members + form.others.length) return null;
  for (const key of keys) {
    if (Object.hasOwn(others, key)) continue;
    const app = all[key]!;
    if (!hasAllAppFields(app)) return null;
    if (!hasCanonicalHost(app.blockStyle.iconUrl) || !hasCanonicalHost(app.appMetadataUrl)) others[key] = app;
  }
  return { value, nonCanonical: { apps: others } };
}

/** A version in canonical form. */
export interface CanonicalVersion {
  version: string;
  artifactUrl: string;
  artifactChecksum: string;
}

/** The versions of a metadata file, if all are canonical. */
export function canonicalVersions(content: DocumentContent): readonly CanonicalVersion[] | null {
  const { value, nonCanonical } = readingOf(content);
  if (nonCanonical === null) return null;
  const versions = member(value, 'versions');
  // The canonical form guarantees the fields.
  return Array.isArray(versions) ? (versions as unknown as CanonicalVersion[]) : null;
}

// In canonical form every field is a text; a repeated field takes the place of another one.
function isCanonicalVersion(entry: JsonValue): boolean {
  if (!isObject(entry)) return false;
  const { version, artifactUrl, artifactChecksum } = entry as Partial<CanonicalVersion>;
  if (version === undefined || artifactUrl === undefined || artifactChecksum === undefined) return false;
  return hasCanonicalHost(artifactUrl);
}

/** An app in canonical form. */
type CanonicalApp = {
  name: string;
  description: string;
  blockStyle: { iconUrl: string; color: string };
  appMetadataUrl: string;
};

function hasAllAppFields(entry: JsonValue): entry is CanonicalApp {
  if (!isObject(entry)) return false;
  const { name, description, blockStyle, appMetadataUrl } = entry as Partial<CanonicalApp>;
  if (name === undefined || description === undefined || appMetadataUrl === undefined) return false;
  return blockStyle?.iconUrl !== undefined && blockStyle.color !== undefined;
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

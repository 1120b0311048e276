import type { DocumentContent } from './facts.ts';
import { faultInBytes, foreignKind } from './foreign-text.ts';
import { faultInText } from './json-fault.ts';
import type { TextFault } from './text-fault.ts';
import { duplicateNames, type Duplicate, survey } from './json-text.ts';

/**
 * Reading a JSON document strictly, and fast where nothing is wrong: `JSON.parse` makes the value, one pass over the
 * text sees what it hides (depth, repeated names). Positions are looked up only for what gets reported: json-text.ts.
 */

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

/** Deeper nesting is refused: real documents need five levels. */
export const MAX_DEPTH = 64;

export interface Reading {
  /** The value, or undefined when the text is not JSON or was cut off. */
  value: JsonValue | undefined;
  /** Why there is no value; a lone surrogate is a fault that leaves the value standing. */
  fault: TextFault | null;
  /** The limit that the document exceeds, or null. */
  oversized: 'bytes' | 'depth' | null;
  byteOrderMark: boolean;
  duplicates: readonly Duplicate[];
}

// An escape that may be half of a surrogate pair; whole pairs, as many writers escape emoji, don't cost a second look.
const HALF = /\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]/;

const readings = new WeakMap<DocumentContent, Reading>();

/** Reads a document, once: asked again for the same object, the same reading is returned. Never throws. */
export function readingOf(content: DocumentContent): Reading {
  let reading = readings.get(content);
  if (!reading) {
    reading = read(content);
    readings.set(content, reading);
  }
  return reading;
}

/** The bytes of a document as facts. For those who have no `Buffer`; equal to what the observers make. */
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
  const nothing: Reading = { value: undefined, fault: null, oversized: null, byteOrderMark: false, duplicates: [] };
  if (content.cut) return { ...nothing, oversized: 'bytes' };
  if (text === null) return { ...nothing, fault: faultInBytes(content.base64 ?? '') };
  const byteOrderMark = text.charCodeAt(0) === 0xfeff;
  const json = byteOrderMark ? text.slice(1) : text;
  const { depth, members } = survey(json, MAX_DEPTH);
  if (depth > MAX_DEPTH) {
    // Brackets in a web page mean nothing; it is told for what it is.
    const fault = foreignKind(json);
    return { ...nothing, byteOrderMark, fault, oversized: fault ? null : 'depth' };
  }
  let value: JsonValue;
  try {
    value = JSON.parse(json) as JsonValue;
  } catch {
    return { ...nothing, byteOrderMark, fault: faultInText(text) };
  }
  const duplicates = countMembers(value) === members ? [] : duplicateNames(text);
  const fault = HALF.test(json) ? faultInText(text) : null;
  return { value, fault, oversized: null, byteOrderMark, duplicates };
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

/** True for a JSON object, and not for an array or null. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member by its own name; never something inherited, so `constructor` is absent from `{}`. */
export function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The string, or null where it is anything else. */
export function stringOrNull(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

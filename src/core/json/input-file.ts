import { message } from '../text/message.ts';
import type { DocumentContent } from '../facts/facts.ts';
import type { Validator } from './shape-error.ts';
import { safeExcerpt } from '../text/text.ts';
import { type JsonValue, MAX_DEPTH, parseDocument } from './json.ts';
import { type Duplicate, lineStarts, positionOf } from './positions.ts';
import { type Fault, positionsInJson } from './faults.ts';
import { type DocumentWords, type Violation, violationsOf } from './violations.ts';

/** Reads JSON files whose form is ours: everything that is wrong at once, each with its place. */

export type InputFile = { value: JsonValue; faults: readonly [] } | { value: null; faults: readonly Fault[] };

/**
 * The value of a file, or its faults: why it is not JSON, or all names that occur twice and all violations.
 * @param violations what is wrong with a value
 */
export function readInputFile(
  content: DocumentContent,
  violations: (value: JsonValue) => readonly Violation[],
): InputFile {
  const { value, duplicates } = parseDocument(content);
  const syntaxFault = syntaxFaultOf(content);
  if (value === undefined || syntaxFault !== null) return failed(syntaxFault === null ? [] : [syntaxFault]);
  const text = content.text ?? '';
  const twice = duplicateFaults(text, duplicates);
  const found = violations(value);
  const positions = positionsInJson(text, found);
  const wrong = found.map(({ message }, index) => ({ message, position: positions[index] ?? null }));
  const faults = [...twice, ...wrong];
  return faults.length === 0 ? { value, faults: [] } : failed(faults);
}

/** Why a file is not JSON; null if it is. */
export function syntaxFaultOf(content: DocumentContent): Fault | null {
  const { value, fault, oversized } = parseDocument(content);
  if (value !== undefined && fault === null) return null;
  const { text } = content;
  const position = text === null || fault === null ? null : positionOf(lineStarts(text), fault.offset);
  return { message: fault?.message ?? TOO_LARGE[oversized ?? 'bytes'], position };
}

/** The names that occur twice in an object of a text. */
function duplicateFaults(text: string, duplicates: readonly Duplicate[]): Fault[] {
  const starts = lineStarts(text);
  return duplicates.map(({ name, offset }) => ({
    message: message`The name “${safeExcerpt(name, 80)}” occurs twice in one object.`,
    position: positionOf(starts, offset),
  }));
}

function failed(faults: readonly Fault[]): InputFile {
  return { value: null, faults };
}

const TOO_LARGE = {
  bytes: message`The file is too large.`,
  depth: message`The document is nested more than ${MAX_DEPTH} levels deep.`,
} as const;

/** What a schema refuses. @param value as it is written in the file */
export function schemaViolations(validate: Validator, value: unknown, words: DocumentWords): Violation[] {
  return validate(value) ? [] : violationsOf(validate.errors ?? [], value, words);
}

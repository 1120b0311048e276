import type { DocumentContent } from './content.ts';
import { joined, message, safe, type SafeText } from '../text/message.ts';
import { safeExcerpt } from '../text/text.ts';
import { type JsonValue, MAX_DEPTH, parseDocument } from './json.ts';
import { type Duplicate, lineStarts, locate, positionOf } from './positions.ts';
import { type DocumentWords, type Validator, type Violation, violationsOf } from './violations.ts';

/** Reads JSON files whose form is ours: everything that is wrong at once, each with its place. */

type InputFile = { value: JsonValue; faults: readonly [] } | { value: null; faults: readonly Fault[] };

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

/** The reason why a file is not JSON; null if it is. */
export function syntaxFaultOf(content: DocumentContent): Fault | null {
  const { value, fault, oversized, tooDeepAt } = parseDocument(content);
  if (value !== undefined && fault === null) return null;
  const { text } = content;
  const offset = fault?.offset ?? tooDeepAt;
  const position = text === null || offset === null ? null : positionOf(lineStarts(text), offset);
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

/** Violations that a schema finds. @param value as it is written in the file */
export function schemaViolations(validate: Validator, value: unknown, words: DocumentWords): Violation[] {
  return validate(value) ? [] : violationsOf(validate.errors ?? [], value, words);
}

/** Text about the faults of a file, with their places. */

/** 1-based; null if it is not known. */
export type Position = { line: number; column: number } | null;

/** A sentence about a file. */
export interface Fault {
  message: SafeText;
  position: Position;
}

/** The positions of violations in a JSON text. */
export function positionsInJson(
  text: string,
  violations: readonly Pick<Violation, 'pointer' | 'isAboutName'>[],
): Position[] {
  const spans = locate(
    text,
    violations.map(({ pointer }) => pointer),
  );
  const starts = lineStarts(text);
  return violations.map(({ pointer, isAboutName }) => {
    const span = spans.get(pointer);
    return span ? positionOf(starts, (isAboutName ? span.nameStart : null) ?? span.start) : null;
  });
}

function order(a: Position, b: Position): number {
  return (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0);
}

/** Faults in the order of the file, a line for each that begins with its place. */
export function faultLines(file: string, faults: readonly Fault[]): SafeText[] {
  return faults
    .toSorted((a, b) => order(a.position, b.position))
    .map(
      ({ message: summary, position }) =>
        message`${file}${position ? `:${position.line}:${position.column}` : ''}: ${safe(summary)}`,
    );
}

const MOST = 20;

/** Faults of a file as the message of an error: one line, or a line for each. */
export function faultText(file: string, faults: readonly Fault[]): SafeText {
  const lines = faultLines(file, faults);
  const [only] = lines;
  if (lines.length === 1 && only !== undefined) return only;
  const more = lines.length > MOST ? [message`… and ${lines.length - MOST} more`] : [];
  return joined([message`${file} has ${lines.length} errors:`, ...lines.slice(0, MOST), ...more], '\n  ');
}

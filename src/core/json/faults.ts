import { joined, message, safe, type SafeText } from '../text/message.ts';
import { lineStarts, locate, positionOf } from './positions.ts';
import type { Violation } from './violations.ts';

/** What is wrong with a file, with its places, as text. */

/** 1-based; null if it is not known. */
export type Position = { line: number; column: number } | null;

/** A sentence about a file. */
export interface Fault {
  message: SafeText;
  position: Position;
}

/** The positions of violations in a JSON text. */
export function positionsInJson(text: string, violations: readonly Violation[]): Position[] {
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

import { printable, shorten } from 'appreg';
import type * as shape from './shape.ts';

/** Parts of a type of events. */

export interface EventDefinition<Fields extends Record<string, shape.Schema>> {
  description: string;
  /** The fields of `data`: typed values, no prose. Times are ISO 8601. */
  data: Fields;
  /** Its name on the pages, and whether it is good news. */
  label: string;
  tone: Tone;
  /** The count of a check: a noun, and its change. Absent if no check counts it. */
  change?: readonly [noun: string, change: string];
  /** A sentence for people. What a registry says in it is shortened and printable. */
  message(data: shape.ValuesOf<Fields>, names: Names): string;
}

/** Of what an event is about, on one line. */
export interface Names {
  app: string;
  version: string;
}

/** Infers the type of the data. */
export function event<Fields extends Record<string, shape.Schema>>(
  definition: EventDefinition<Fields>,
): EventDefinition<Fields> {
  return definition;
}

/** A name of a registry, on one line. */
export function nameOf(text: string): string {
  return printable(shorten(text, 100));
}

/** Makes a sentence of the words of an author. */
export function sentence(text: string): string {
  const line = printable(shorten(text.trim(), 280));
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}

/** Small components shared by the pages. */

export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'idle';

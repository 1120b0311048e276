import type { ShapeError } from '../generated/validators.js';
import { didYouMean, distance } from '../text/similar-names.ts';
import { printable, shorten } from '../text/text.ts';
import { lineStarts, locate, positionOf } from './positions.ts';
import { pointerStep, pointerSteps } from './pointer.ts';

/** What is wrong with a JSON document of ours, as sentences with their places. */

/** One violation. */
export interface Violation {
  /** JSON Pointer of the value, or of the object that has the name. */
  pointer: string;
  /** True if the name of a member is wrong, so that the place is the name. */
  isAboutName: boolean;
  /** A sentence. */
  message: string;
  /** True if a rule does not exist. */
  isUnknownRule?: boolean;
}

/** The part of a JSON Schema that is read here. */
type Schema = Readonly<Record<string, unknown>>;

/**
 * The errors of a validator as sentences, each once.
 * @param value what was validated, as it is written in the file
 * @param schema with the known names and the wording of patterns (`patternErrorMessage`)
 * @param whole what the document is, to begin a sentence: “The configuration”
 */
export function violationsOf(
  errors: readonly ShapeError[],
  value: unknown,
  schema: Schema,
  whole: string,
): Violation[] {
  // The other errors of a condition say what is wrong; those of alternatives do not apply together.
  const alternatives = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  const relevant = errors.filter(
    (error) =>
      error.keyword !== 'if' && !alternatives.some(({ schemaPath }) => error.schemaPath.startsWith(`${schemaPath}/`)),
  );
  const found = relevant.map((error) => violationOf(error, value, schema, whole));
  return [...new Map(found.map((one) => [`${one.pointer} ${one.message}`, one])).values()];
}

function violationOf(error: ShapeError, root: unknown, schema: Schema, whole: string): Violation {
  const { instancePath: pointer, params } = error;
  const unknown = params['additionalProperty'];
  if (typeof unknown === 'string')
    return {
      pointer: pointer + pointerStep(unknown),
      isAboutName: true,
      message: `Unknown setting “${printable(shorten(unknown, 80))}”${placeOf(pointer)}.${knownNames(unknown, error, schema)}`,
    };
  const missing = params['missingProperty'];
  if (typeof missing === 'string')
    return { pointer, isAboutName: false, message: `“${printable(missing)}” is missing${placeOf(pointer)}.` };
  const value = valueAt(root, pointer);
  const allowed = allowedBy(error, schema, value);
  return {
    pointer,
    isAboutName: false,
    message: `${pointer === '' ? whole : `“${pathOf(pointer)}”`} must be ${allowed}.${suggestion(error, value)}`,
  };
}

/** The known names of an object, or the one that may have been meant. */
function knownNames(name: string, { schemaPath }: ShapeError, schema: Schema): string {
  const properties = schemaAt(schema, schemaPath.replace(/\/additionalProperties$/, ''))?.['properties'];
  if (typeof properties !== 'object' || properties === null) return '';
  const known = Object.keys(properties).filter((one) => one !== '$schema');
  return didYouMean(name, known) || ` The settings here are ${known.join(', ')}.`;
}

/** What a value must be, and what it is instead. */
function allowedBy(error: ShapeError, schema: Schema, value: unknown): string {
  const { keyword, params, message = 'valid' } = error;
  const actual = `, not ${described(value)}`;
  if (keyword === 'type') {
    const types = Array.isArray(params['type']) ? params['type'] : String(params['type']).split(',');
    return `${listedOr(types.map((type) => TYPES[String(type)] ?? String(type)))}${actual}`;
  }
  if (Array.isArray(params['allowedValues'])) return `${listedOr(params['allowedValues'].map(String))}${actual}`;
  if (keyword === 'const') return `${JSON.stringify(params['allowedValue'])}${actual}`;
  if (keyword === 'pattern') {
    const words = schemaAt(schema, error.schemaPath.replace(/\/pattern$/, ''))?.['patternErrorMessage'];
    return `${typeof words === 'string' ? words : 'text in another form'}${actual}`;
  }
  const limit = params['limit'];
  const comparison = typeof params['comparison'] === 'string' ? COMPARISONS[params['comparison']] : undefined;
  if (comparison !== undefined) return `${comparison} ${String(limit)}${actual}`;
  return `in another form: it ${message}`;
}

/** Alternatives, as `a, b or c`. */
function listedOr(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

const TYPES: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

const COMPARISONS: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '<=': 'at most',
  '>': 'more than',
  '<': 'less than',
};

function suggestion({ params }: ShapeError, value: unknown): string {
  const allowed = params['allowedValues'];
  if (!Array.isArray(allowed) || typeof value !== 'string') return '';
  const known = allowed.map(String);
  // The names of a choice may be too short to be compared with others.
  const near = known.find((one) => distance(value.slice(0, 80).toLowerCase(), one.toLowerCase()) <= 1);
  return near === undefined ? didYouMean(value, known) : ` Did you mean ${near}?`;
}

/** A value in a sentence: text in quotes, a container by its kind. */
function described(value: unknown): string {
  if (typeof value === 'string') return `“${printable(shorten(value, 80))}”`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

/** The part of a schema that an error refers to; null if it is not found. */
function schemaAt(schema: Schema, path: string): Schema | null {
  const steps = pointerSteps(path.replace(/^[^#]*#/, '')).map(decodeURIComponent);
  const found = steps.reduce<unknown>(member, schema);
  return typeof found === 'object' && found !== null ? { ...found } : null;
}

function valueAt(root: unknown, pointer: string): unknown {
  return pointerSteps(pointer).reduce<unknown>(member, root);
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(name);
}

function placeOf(pointer: string): string {
  return pointer === '' ? '' : ` in “${pathOf(pointer)}”`;
}

/** A value as people name it: store.type, exceptions[0].until. */
export function pathOf(pointer: string): string {
  const steps = pointerSteps(pointer).map((step, index) => {
    if (/^\d+$/.test(step)) return `[${step}]`;
    if (!/^[\w$-]+$/.test(step)) return `[${JSON.stringify(step)}]`;
    return index === 0 ? step : `.${step}`;
  });
  return printable(shorten(steps.join(''), 120));
}

/** 1-based; null if it is not known. */
export type Position = { line: number; column: number } | null;

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

const MOST = 20;

/** Violations as the message of an error: one line, or a line for each. */
export function violationText(file: string, violations: readonly Violation[], positions: readonly Position[]): string {
  const placed = violations.map(({ message }, index) => ({ message, position: positions[index] ?? null }));
  const lines = placed
    .toSorted((a, b) => order(a.position, b.position))
    .map(
      ({ message, position }) =>
        `${printable(file)}${position ? `:${position.line}:${position.column}` : ''}: ${message}`,
    );
  const [only] = lines;
  if (lines.length === 1 && only !== undefined) return only;
  const more = lines.length > MOST ? [`… and ${lines.length - MOST} more`] : [];
  return [`${printable(file)} has ${lines.length} errors:`, ...lines.slice(0, MOST), ...more].join('\n  ');
}

import { message, type SafeText } from '../text/message.ts';
import { didYouMean, distance } from '../text/similar-names.ts';
import { printable, safeExcerpt, shorten } from '../text/text.ts';
import { pointerStep, pointerSteps, pointerTo } from './pointer.ts';

/** Sentences about the faults of a JSON document of ours, with their places. */

export interface Violation {
  /** JSON Pointer of the value, or of the object that has the name. */
  pointer: string;
  /** True if the name of a member is wrong, so that the place is the name. */
  isAboutName: boolean;
  /** A sentence. */
  message: SafeText;
  /** True if a rule does not exist. */
  isUnknownRule?: boolean;
}

/** The part of a JSON Schema that is read here. */
type Schema = Readonly<Record<string, unknown>>;

/** Words about a document, for sentences. */
export interface DocumentWords {
  /** With the known names and the wording of patterns (`patternErrorMessage`). */
  schema: Schema;
  /** The document, to begin a sentence: “The configuration”. */
  whole: string;
  /** The word for its members. */
  member: 'setting' | 'field';
}

/**
 * The errors of a validator as sentences, each once.
 * @param value what was validated, as it is written in the file
 */
export function violationsOf(errors: readonly ShapeError[], value: unknown, words: DocumentWords): Violation[] {
  const found = relevantOf(errors).map((error) => violationOf(error, value, words));
  return [...new Map(found.map((one) => [`${one.pointer} ${one.message}`, one])).values()];
}

/** Further errors are ignored: an error for each value of a large file takes much memory. */
const MOST_READ = 1000;

function isBranch({ schemaPath }: ShapeError): boolean {
  return /\/(?:then|else)\//.test(schemaPath);
}

function relevantOf(all: readonly ShapeError[]): ShapeError[] {
  const errors = all.slice(0, MOST_READ);
  // The other errors of a condition say what is wrong; those of alternatives do not apply together.
  const alternatives = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  // Which branch applies is not known for an object of another type, or without a field.
  const undecided = errors.filter((error) => !isBranch(error) && ['type', 'required'].includes(error.keyword));
  const wrong = new Set(undecided.map(({ instancePath }) => instancePath));
  return errors.filter(
    (error) =>
      error.keyword !== 'if' &&
      // `propertyNames` reports a name.
      error.propertyName === undefined &&
      !(isBranch(error) && wrong.has(error.instancePath) && error.keyword === 'required') &&
      !alternatives.some(({ schemaPath }) => error.schemaPath.startsWith(`${schemaPath}/`)),
  );
}

function violationOf(error: ShapeError, root: unknown, words: DocumentWords): Violation {
  const { instancePath: pointer, params } = error;
  const unknown = params['additionalProperty'];
  if (typeof unknown === 'string')
    return {
      pointer: pointer + pointerStep(unknown),
      isAboutName: true,
      message: message`Unknown ${words.member} “${safeExcerpt(unknown, 80)}”${placeOf(pointer)}.${knownNames(unknown, error, words)}`,
    };
  const name = params['propertyName'];
  if (typeof name === 'string')
    return {
      pointer: pointer + pointerStep(name),
      isAboutName: true,
      message: message`The name “${safeExcerpt(name, 80)}”${placeOf(pointer)} must be ${wordsOfPattern(error, words.schema)}.`,
    };
  const missing = params['missingProperty'];
  if (typeof missing === 'string')
    return { pointer, isAboutName: false, message: message`“${missing}” is missing${placeOf(pointer)}.` };
  const value = valueAt(root, pointer);
  return mustBe(pointer, allowedBy(error, words.schema), value, words.whole, suggestion(error, value));
}

/**
 * A violation by a value.
 * @param allowed what it must be, such as “text or null”
 * @param whole what the document is, to begin a sentence
 */
export function mustBe(pointer: string, allowed: string, value: unknown, whole: string, hint = ''): Violation {
  if (value === undefined) return missingAt(pointer, allowed);
  const subject = pointer === '' ? whole : `“${pathOf(pointer)}”`;
  return {
    pointer,
    isAboutName: false,
    message: message`${subject} must be ${allowed}, not ${described(value)}.${hint}`,
  };
}

/** A violation by an absent member, whose place is the object. */
function missingAt(pointer: string, allowed: string): Violation {
  const steps = pointerSteps(pointer);
  const name = steps.pop() ?? '';
  const parent = pointerTo(...steps);
  return {
    pointer: parent,
    isAboutName: false,
    message: message`“${name}” is missing${placeOf(parent)}. It must be ${allowed}.`,
  };
}

/** The known names of an object, or the one that may have been meant. */
function knownNames(name: string, { schemaPath }: ShapeError, { schema, member }: DocumentWords): string {
  const properties = schemaAt(schema, schemaPath.replace(/\/additionalProperties$/, ''))?.['properties'];
  if (typeof properties !== 'object' || properties === null) return '';
  const known = Object.keys(properties).filter((one) => one !== '$schema');
  return didYouMean(name, known) || ` The ${member}s here are ${known.join(', ')}.`;
}

function allowedBy(error: ShapeError, schema: Schema): string {
  const { keyword, params } = error;
  if (keyword === 'type') {
    const types = Array.isArray(params['type']) ? params['type'] : String(params['type']).split(',');
    return listedOr(types.map((type) => TYPES[String(type)] ?? String(type)));
  }
  if (Array.isArray(params['allowedValues'])) return listedOr(params['allowedValues'].map(String));
  if (keyword === 'const') return JSON.stringify(params['allowedValue']);
  if (keyword === 'pattern') return wordsOfPattern(error, schema);
  const comparison = COMPARISONS[typeof params['comparison'] === 'string' ? params['comparison'] : keyword];
  if (comparison === undefined) return 'of another form';
  return comparison.replace('#', String(params['limit'])).replace(/ 1 values$/, ' 1 value');
}

function wordsOfPattern({ schemaPath, keyword }: ShapeError, schema: Schema): string {
  const at = keyword === 'pattern' ? schemaPath.replace(/\/pattern$/, '') : schemaPath;
  const words = schemaAt(schema, at)?.['patternErrorMessage'];
  return typeof words === 'string' ? words : 'text of another form';
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

/** By the comparison of numbers, or the keyword; # is the limit. */
const COMPARISONS: Readonly<Record<string, string>> = {
  '>=': 'at least #',
  '<=': 'at most #',
  '>': 'more than #',
  '<': 'less than #',
  maxLength: 'text of at most # characters',
  minItems: 'a list of at least # values',
  maxItems: 'a list of at most # values',
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

/** Error of a validator that ajv compiled; one entry per fault, since all of them are collected. */
export interface ShapeError {
  instancePath: string;
  /** JSON Pointer of the keyword in the schema, after a #. */
  schemaPath: string;
  keyword: string;
  /** The name of a member that `propertyNames` refuses. */
  propertyName?: string;
  params: Record<string, unknown>;
}

/** A compiled schema. */
export interface Validator {
  (value: unknown): boolean;
  errors?: ShapeError[] | null;
}

import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import { type FieldError, Refusal } from './problems.ts';

/** The fields of a request's body, each read by a function of its own. Further fields are ignored. */

/** The value of a field, or what is wrong with it, worded to follow “The field”. Undefined: the field is missing. */
export type FieldReader<Value> = (value: JsonValue | undefined) => { value: Value } | { fault: string };

type Readers<Values> = { readonly [Name in keyof Values]: FieldReader<Values[Name]> };

/** @throws Refusal that lists every invalid field */
export function fieldsIn<Values extends object>(body: JsonObject, readers: Readers<Values>): Values {
  const errors: FieldError[] = [];
  const values: Partial<Values> = {};
  for (const field in readers) {
    const read = readers[field](Object.hasOwn(body, field) ? body[field] : undefined);
    if ('value' in read) values[field] = read.value;
    else errors.push({ pointer: `/${field}`, field, detail: `The field “${field}” ${read.fault}` });
  }
  if (errors.length > 0) throw new Refusal('invalid-field', errors.map(({ detail }) => detail).join(' '), { errors });
  // Every field has a value, or an error was thrown.
  return values as Values;
}

/** The field may be missing. */
export function optional<Value>(reader: FieldReader<Value>): FieldReader<Value | undefined> {
  return (value) => (value === undefined ? { value } : reader(value));
}

/** The field may be null or missing, which means the same. */
export function nullable<Value>(reader: FieldReader<Value>): FieldReader<Value | null> {
  return (value) => (value === undefined || value === null ? { value: null } : reader(value));
}

/** @param check what is wrong with the text, or null */
export function textField(check: (text: string) => string | null): FieldReader<string> {
  return (value) => {
    if (value === undefined) return { fault: 'is missing.' };
    if (typeof value !== 'string') return { fault: 'is not a string.' };
    const fault = check(value);
    return fault === null ? { value: value.trim() } : { fault };
  };
}

export function choiceField<Choice extends string>(choices: readonly Choice[]): FieldReader<Choice> {
  return (value) => {
    if (value === undefined) return { fault: 'is missing.' };
    const chosen = choices.find((choice) => choice === value);
    return chosen === undefined ? { fault: `is not one of ${choices.join(', ')}.` } : { value: chosen };
  };
}

export const flagField: FieldReader<boolean> = (value) =>
  typeof value === 'boolean' ? { value } : { fault: 'is neither true nor false.' };

// RFC 3339.
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/i;

const TEN_YEARS = 10 * 366 * 86_400_000;

/** A time in the future, at most ten years from now (in milliseconds since the epoch). */
export function futureField(now: number): FieldReader<Date> {
  return (value) => {
    const time = typeof value === 'string' && MOMENT.test(value) ? Date.parse(value) : Number.NaN;
    if (Number.isNaN(time)) return { fault: 'is not a time with its offset from UTC, such as 2030-01-31T12:00:00Z.' };
    if (time <= now) return { fault: 'is not in the future.' };
    if (time - now > TEN_YEARS) return { fault: 'is more than ten years ahead.' };
    return { value: new Date(time) };
  };
}

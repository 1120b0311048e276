import { isBlank, isInCalendar, type JsonValue, parseUrl } from 'appreg';

/** The fields of a request's body, each read by a function of its own. Further fields are ignored. */

/**
 * The value of a field, or what is wrong with it: a `fault` is worded to follow “The field”, a `message` is a whole
 * sentence; `secret` ones are the faults of its own fields, whose values are not quoted; `errors` are complete. Undefined:
 * the field is missing.
 */
export type FieldReader<Value> = (
  value: JsonValue | undefined,
) =>
  | { value: Value }
  | { fault: string }
  | { message: string }
  | { secret: readonly { field: string; fault: string }[] }
  | { errors: readonly FieldError[] };

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

/** Milliseconds from now to the end of a token, at most. */
export const TEN_YEARS = 10 * 366 * 86_400_000;

/** A time in the future, at most ten years from now (in milliseconds since the epoch). */
export function futureField(now: number): FieldReader<Date> {
  return (value) => {
    const time =
      typeof value === 'string' && MOMENT.test(value) && isInCalendar(value) ? Date.parse(value) : Number.NaN;
    if (Number.isNaN(time)) return { fault: 'is not a time with its offset from UTC, such as 2030-01-31T12:00:00Z.' };
    if (time <= now) return { fault: 'is not in the future.' };
    if (time - now > TEN_YEARS) return { fault: 'is more than ten years ahead.' };
    return { value: new Date(time) };
  };
}

/** Maximum characters of the name of a registry, an organization or a token. */
export const LONGEST_NAME = 100;

// Controls, lone surrogates, Unicode line breaks, bidirectional controls. Joiners are allowed: emoji need them.
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

/** The reason why a text cannot be the name of a registry or an organization, worded to follow “The name”; or null. */
export function nameError(text: string): string | null {
  if (isBlank(text)) return 'is empty.';
  if ([...text.trim()].length > LONGEST_NAME) return `is longer than ${LONGEST_NAME} characters.`;
  return INVISIBLE.test(text) ? 'contains invisible characters.' : null;
}

/** Maximum characters of a URL. */
export const LONGEST_URL = 2048;

/** Reasons why a text is not the URL of a host that can be requested. */
export type TypedUrlFault = 'too-long' | 'not-a-url' | 'user-info';

/** The http or https URL that a user typed, without its fragment. Normalized, it can be longer than it was typed. */
export function parseTypedUrl(text: string): { url: URL } | { fault: TypedUrlFault } {
  const typed = text.trim();
  if (typed.length > LONGEST_URL) return { fault: 'too-long' };
  const url = parseUrl(typed);
  if (!url || !/^https?:\/\//i.test(typed)) return { fault: 'not-a-url' };
  if (url.username !== '' || url.password !== '') return { fault: 'user-info' };
  url.hash = '';
  return url.href.length > LONGEST_URL ? { fault: 'too-long' } : { url };
}

/** The error in one field of the body, or in one parameter. */
export interface FieldError {
  /** RFC 6901, for a field. */
  pointer?: string;
  /** Name of a field or a parameter. */
  field: string;
  detail: string;
}

import {
  type JsonObject,
  type JsonValue,
  documentContent,
  isObject,
  MAX_DEPTH,
  parseDocument,
} from '../../core/json/json.ts';
import { survey } from '../../core/json/positions.ts';
import { isInCalendar } from '../../core/text/calendar.ts';
import { safeExcerpt, safeJson, isBlank } from '../../core/text/text.ts';
import { type FieldError, Refusal } from './problems.ts';
import { parseUrl } from '../../core/http/url.ts';
import type { Context } from 'hono';

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

type Readers<Values> = { readonly [Name in keyof Values]: FieldReader<Values[Name]> };

/**
 * @param found what is wrong with other parts of the request
 * @throws Refusal that lists every invalid field, after `found`
 */
export function fieldsIn<Values extends object>(
  body: JsonObject,
  readers: Readers<Values>,
  found: readonly FieldError[] = [],
): Values {
  const errors: FieldError[] = [...found];
  const values: Partial<Values> = {};
  for (const field in readers) {
    const value = Object.hasOwn(body, field) ? body[field] : undefined;
    const read = readers[field](value);
    if ('value' in read) values[field] = read.value;
    else if ('errors' in read) errors.push(...read.errors);
    else if ('secret' in read) errors.push(...secretErrors(field, `/${field}`, read.secret));
    else {
      const message = 'fault' in read ? `The field “${field}” ${read.fault}` : read.message;
      errors.push({ pointer: `/${field}`, field, detail: `${message}${quotedValue(value)}` });
    }
  }
  if (errors.length > 0) throw invalidFields(errors);
  // Every field has a value, or an error was thrown.
  return values as Values;
}

/** @param errors those without a pointer are about parameters */
export function invalidFields(errors: readonly FieldError[]): Refusal {
  const kind = errors.some(({ pointer }) => pointer !== undefined) ? 'invalid-field' : 'invalid-parameter';
  return new Refusal(kind, errors.map(({ detail }) => detail).join(' '), { errors });
}

/** The errors of fields whose values are secrets. @param pointer of the object (RFC 6901) */
export function secretErrors(
  name: string,
  pointer: string,
  faults: readonly { field: string; fault: string }[],
): FieldError[] {
  return faults.map(({ field, fault }) => {
    const own = field === '' ? name : `${name}.${field}`;
    const detail = `The field “${own}” ${fault}`;
    return { pointer: field === '' ? pointer : `${pointer}/${field}`, field: own, detail };
  });
}

/** Maximum characters of a value in a message. */
const LONGEST_VALUE = 100;

/** A sentence with the value that is not valid; '' if it is missing. */
export function quotedValue(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : safeJson(value, 0);
  return ` Received: “${safeExcerpt(text, LONGEST_VALUE)}”.`;
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

/** Why a text cannot be the name of a registry or an organization, worded to follow “The name”; or null. */
export function nameError(text: string): string | null {
  if (isBlank(text)) return 'is empty.';
  if ([...text.trim()].length > LONGEST_NAME) return `is longer than ${LONGEST_NAME} characters.`;
  return INVISIBLE.test(text) ? 'contains invisible characters.' : null;
}

/** Maximum characters of a URL. */
export const LONGEST_URL = 2048;

/** Why a text is not the URL of a host that can be requested. */
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

/** Maximum request body in bytes. */
const BODY_LIMIT = 16 * 1024;
/** Maximum number of members of all objects and elements of all arrays in a body. */
export const BODY_ENTRIES = 2_000;

/**
 * The JSON object in a request's body, which is bounded in size, depth and entries before anything walks it.
 * @throws Refusal for another content type, a body beyond these limits, or anything but a JSON object in UTF-8 whose names
 * occur once
 */
export async function readBody(c: Context): Promise<JsonObject> {
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type))
    throw new Refusal('unsupported-media-type', 'Send JSON with Content-Type: application/json.', {}, ACCEPTS);
  const coding = c.req.header('content-encoding') ?? 'identity';
  if (coding.toLowerCase() !== 'identity')
    throw new Refusal('unsupported-media-type', 'Send the body without a Content-Encoding.', {}, ACCEPTS);
  const bytes = await readBytes(c, BODY_LIMIT);
  if (bytes === null) throw new Refusal('body-too-large', `The body is larger than ${BODY_LIMIT} bytes.`);
  return objectIn(bytes);
}

function objectIn(bytes: Buffer): JsonObject {
  const content = documentContent(bytes);
  const { value, oversized, duplicates } = parseDocument(content);
  if (oversized === 'depth')
    throw new Refusal('malformed-body', `The body is nested more than ${MAX_DEPTH} levels deep.`);
  if (survey(content.text ?? '', MAX_DEPTH).entries > BODY_ENTRIES)
    throw new Refusal('body-too-large', `The body has more than ${BODY_ENTRIES} members and array elements.`);
  if (value === undefined) {
    const detail = bytes.length === 0 ? 'The body is empty.' : 'The body is not JSON in UTF-8.';
    throw new Refusal('malformed-body', `${detail} Send a JSON object.`);
  }
  const [twice] = duplicates;
  if (twice !== undefined)
    throw new Refusal('malformed-body', `The name “${safeExcerpt(twice.name, 80)}” occurs twice in one object.`);
  if (!isObject(value)) throw new Refusal('malformed-body', 'The body is not a JSON object.');
  return value;
}

const ACCEPTS = { 'accept-post': 'application/json' };

/**
 * The bytes of a body; null if there are more than `limit`.
 * @throws Refusal if it ended early: the client disconnected, which is not an internal error
 */
export async function readBytes(c: Context, limit: number): Promise<Buffer | null> {
  if (Number(c.req.header('content-length') ?? 0) > limit) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of c.req.raw.body ?? []) {
      size += chunk.length;
      if (size > limit) return null;
      chunks.push(chunk);
    }
  } catch {
    throw new Refusal('malformed-body', 'The body ended early.');
  }
  return Buffer.concat(chunks);
}

/** The name in a body. @param found what is wrong with other parts of the request */
export function nameIn(body: JsonObject, found: readonly FieldError[] = []): string {
  return fieldsIn(body, { name: textField(nameError) }, found).name;
}

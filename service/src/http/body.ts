import {
  documentContent,
  isObject,
  type JsonObject,
  type JsonValue,
  MAX_DEPTH,
  parseDocument,
  safeExcerpt,
  safeJson,
  survey,
} from 'appreg';
import { type FieldReader, type FieldError, textField, nameError } from '../domain/fields.ts';
import { Refusal } from './problems.ts';
import { type Context } from 'hono';

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

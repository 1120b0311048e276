import type { Context } from 'hono';
import { nameError } from './name-validation.ts';
import { type FieldError, Refusal } from './problems.ts';

/** Maximum request body in bytes. */
const BODY_LIMIT = 16 * 1024;

type Body = Record<string, unknown>;

/**
 * The JSON object in a request's body.
 * @throws Refusal for another content type, more than BODY_LIMIT bytes, or anything but a JSON object in UTF-8
 */
export async function readBody(c: Context): Promise<Body> {
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type))
    throw new Refusal('unsupported-media-type', 'Send JSON, with Content-Type: application/json.', {}, ACCEPTS);
  const coding = c.req.header('content-encoding') ?? 'identity';
  if (coding.toLowerCase() !== 'identity')
    throw new Refusal('unsupported-media-type', 'Send the body without a Content-Encoding.', {}, ACCEPTS);
  const bytes = await readBytes(c, BODY_LIMIT);
  if (bytes === null) throw new Refusal('body-too-large', `The body is larger than ${BODY_LIMIT} bytes.`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    const detail = bytes.length === 0 ? 'The body is empty.' : 'The body is not JSON in UTF-8.';
    throw new Refusal('malformed-body', `${detail} Send a JSON object.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal('malformed-body', 'The body is not a JSON object.');
  return value as Body;
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
    for await (const chunk of (c.req.raw.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > limit) return null;
      chunks.push(chunk);
    }
  } catch {
    throw new Refusal('malformed-body', 'The body ended early.');
  }
  return Buffer.concat(chunks);
}

/**
 * Text fields of a body, all required, each trimmed; further fields are ignored.
 * @throws Refusal that lists every invalid field
 */
export function textsIn<Name extends string>(
  body: Body,
  fields: Record<Name, (text: string) => string | null>,
): Record<Name, string> {
  const errors: FieldError[] = [];
  const texts: Partial<Record<Name, string>> = {};
  for (const field of Object.keys(fields) as Name[]) {
    const value = Object.hasOwn(body, field) ? body[field] : undefined;
    const fault =
      value === undefined ? 'is missing.' : typeof value === 'string' ? fields[field](value) : 'is not a string.';
    if (fault === null) texts[field] = (value as string).trim();
    else errors.push({ pointer: `/${field}`, field, detail: `The field “${field}” ${fault}` });
  }
  if (errors.length === 0) return texts as Record<Name, string>;
  throw new Refusal('invalid-field', errors.map(({ detail }) => detail).join(' '), { errors });
}

/** The name in a body. */
export function nameIn(body: Body): string {
  return textsIn(body, { name: nameError }).name;
}

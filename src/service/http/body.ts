import type { Context } from 'hono';
import { documentContent, isObject, type JsonObject, type JsonValue, parseDocument } from '../../core/json/json.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import { fieldsIn, textField, nameError } from './fields.ts';
import { type FieldError, Refusal } from './problems.ts';

/** Maximum request body in bytes. */
const BODY_LIMIT = 16 * 1024;

/**
 * The JSON object in a request's body.
 * @throws Refusal for another content type, more than BODY_LIMIT bytes, or anything but a JSON object in UTF-8 whose names
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
  const value = parseJson(bytes);
  const [twice] = parseDocument(documentContent(bytes)).duplicates;
  if (twice !== undefined)
    throw new Refusal('malformed-body', `The name “${safeExcerpt(twice.name, 80)}” occurs twice in one object.`);
  if (!isObject(value)) throw new Refusal('malformed-body', 'The body is not a JSON object.');
  return value;
}

function parseJson(bytes: Buffer): JsonValue {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    const detail = bytes.length === 0 ? 'The body is empty.' : 'The body is not JSON in UTF-8.';
    throw new Refusal('malformed-body', `${detail} Send a JSON object.`);
  }
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

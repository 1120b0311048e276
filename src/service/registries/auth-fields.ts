import type { JsonValue } from '../../core/json/json.ts';
import { readAuth, type RegistryAuth } from './credentials.ts';
import { type FieldReader, invalidFields, secretErrors } from '../http/fields.ts';

/**
 * The credentials in a body; null for null.
 * @param pointer where they are in the body (RFC 6901)
 * @throws Refusal that lists every invalid field, without its value
 */
export function authIn(value: JsonValue, pointer: string): RegistryAuth | null {
  if (value === null) return null;
  const read = readAuth(value);
  if ('auth' in read) return read.auth;
  throw invalidFields(secretErrors('auth', pointer, read.faults));
}

/** The field `auth` of a subscription: null, or missing, for a registry that needs no credentials. */
export const authField: FieldReader<RegistryAuth | null> = (value) => {
  if (value === undefined || value === null) return { value: null };
  const read = readAuth(value);
  return 'auth' in read ? { value: read.auth } : { secret: read.faults };
};

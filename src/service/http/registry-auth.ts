import type { JsonValue } from '../../core/json/json.ts';
import { readAuth, type RegistryAuth } from '../credentials.ts';
import { Refusal } from './problems.ts';

/**
 * The credentials in a body; null for null.
 * @param pointer where they are in the body (RFC 6901)
 * @throws Refusal that lists every invalid field, without its value
 */
export function authIn(value: JsonValue, pointer: string): RegistryAuth | null {
  if (value === null) return null;
  const read = readAuth(value);
  if ('auth' in read) return read.auth;
  const errors = read.faults.map(({ field, fault }) => {
    const name = field === '' ? 'auth' : `auth.${field}`;
    return {
      pointer: field === '' ? pointer : `${pointer}/${field}`,
      field: name,
      detail: `The field “${name}” ${fault}`,
    };
  });
  throw new Refusal('invalid-field', errors.map(({ detail }) => detail).join(' '), { errors });
}

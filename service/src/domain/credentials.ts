import {
  isCredentialHeader,
  isHeaderName,
  isLoopback,
  isObject,
  type JsonObject,
  type JsonValue,
  parseUrl,
  recordFrom,
} from 'appreg';
import type { SecretHeaders } from 'appreg/node';

/** The credentials of a private registry, as an organization gives them. They are write-only. */

export type RegistryAuth =
  | { type: 'bearer'; token: string }
  | { type: 'basic'; username: string; password: string }
  | { type: 'header'; name: string; value: string };

export type AuthType = RegistryAuth['type'];

/** The fields of each type, in the order of a form. */
export const AUTH_FIELDS = {
  bearer: ['token'],
  basic: ['username', 'password'],
  header: ['name', 'value'],
} as const satisfies Record<AuthType, readonly string[]>;

/** Fault of one field; it never quotes the value. `field` is '' for the object itself. */
export interface AuthFault {
  field: '' | 'type' | 'token' | 'username' | 'password' | 'name' | 'value';
  /** Worded to follow the name of the field. */
  fault: string;
}

/** Maximum characters of a token, a user name, a password or the value of a header. */
export const LONGEST_CREDENTIAL = 4096;
/** Maximum characters of the name of a header. */
export const LONGEST_HEADER_NAME = 100;

/** The credentials in a body or a form, or what is wrong with them. Further fields are ignored. */
export function readAuth(value: JsonValue): { auth: RegistryAuth } | { faults: AuthFault[] } {
  if (!isObject(value)) return { faults: [{ field: '', fault: 'is not an object.' }] };
  const type = ownText(value, 'type');
  switch (type) {
    case 'bearer':
      return checked({ type, ...textsOf(value, AUTH_FIELDS.bearer) }, [['token', tokenFault(value)]]);
    case 'basic':
      return checked({ type, ...textsOf(value, AUTH_FIELDS.basic) }, [
        ['username', loginFault(value, 'username')],
        ['password', loginFault(value, 'password') ?? emptyLoginFault(value)],
      ]);
    case 'header':
      return checked({ type, ...textsOf(value, AUTH_FIELDS.header) }, [
        ['name', nameFault(value)],
        ['value', valueFault(value)],
      ]);
    default:
      return { faults: [{ field: 'type', fault: 'is not “bearer”, “basic” or “header”.' }] };
  }
}

/** The header that carries the credentials. */
export function authHeader(auth: RegistryAuth): readonly [name: string, value: string] {
  switch (auth.type) {
    case 'bearer':
      return ['authorization', `Bearer ${auth.token}`];
    case 'basic':
      return ['authorization', `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`];
    case 'header':
      return [auth.name.toLowerCase(), auth.value];
  }
}

/** The header, for the registry's own origin only: scheme, host and port of its URL. */
export function secretHeadersFor(url: string, auth: RegistryAuth): SecretHeaders {
  return { origin: new URL(url).origin, headers: [authHeader(auth)] };
}

/**
 * The reason why credentials are not sent to a URL, or null: over plain http anyone on the way could read them. The
 * loopback interface is exempt.
 */
export function insecureAuthFault(url: string): string | null {
  const parsed = parseUrl(url);
  if (parsed === null || parsed.protocol === 'https:' || isLoopback(parsed.hostname)) return null;
  return 'The URL begins with http:, so the credentials would be sent unencrypted. Use the https URL of the registry.';
}

function checked(
  auth: RegistryAuth,
  checks: readonly (readonly [field: AuthFault['field'], fault: string | null])[],
): { auth: RegistryAuth } | { faults: AuthFault[] } {
  const faults = checks.flatMap(([field, fault]) => (fault === null ? [] : [{ field, fault }]));
  return faults.length === 0 ? { auth } : { faults };
}

function ownText(value: JsonObject, name: string): string | null {
  const own = Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof own === 'string' ? own : null;
}

/** The texts of the fields; '' for one that is missing, which has a fault. */
function textsOf<Name extends string>(value: JsonObject, names: readonly Name[]): Record<Name, string> {
  return recordFrom(names.map((name) => [name, ownText(value, name) ?? ''] as const));
}

function textFault(value: JsonObject, name: string): string | null {
  if (!Object.hasOwn(value, name)) return 'is missing.';
  const text = ownText(value, name);
  if (text === null) return 'is not a string.';
  return text.length > LONGEST_CREDENTIAL ? `is longer than ${LONGEST_CREDENTIAL} characters.` : null;
}

/** RFC 6750 allows fewer characters; hosts issue tokens with others. */
function tokenFault(value: JsonObject): string | null {
  const fault = textFault(value, 'token');
  if (fault !== null) return fault;
  const token = ownText(value, 'token') ?? '';
  if (token === '') return 'is empty.';
  if (/^bearer /i.test(token)) return 'begins with “Bearer ”, which the service adds itself.';
  return /^[!-~]+$/.test(token) ? null : 'contains spaces, or characters other than visible ASCII.';
}

/** RFC 7617: no control characters, and no colon in the user name. */
function loginFault(value: JsonObject, name: 'username' | 'password'): string | null {
  const fault = textFault(value, name);
  if (fault !== null) return fault;
  const text = ownText(value, name) ?? '';
  if (/[\p{Cc}\p{Cs}]/u.test(text)) return 'contains control characters.';
  return name === 'username' && text.includes(':') ? 'contains a colon.' : null;
}

function emptyLoginFault(value: JsonObject): string | null {
  return ownText(value, 'username') === '' && ownText(value, 'password') === ''
    ? 'is empty, and so is the user name.'
    : null;
}

function nameFault(value: JsonObject): string | null {
  const fault = textFault(value, 'name');
  if (fault !== null) return fault;
  const name = ownText(value, 'name') ?? '';
  if (name.length > LONGEST_HEADER_NAME) return `is longer than ${LONGEST_HEADER_NAME} characters.`;
  if (!isHeaderName(name)) return 'is not the name of a header.';
  return isCredentialHeader(name) ? null : 'is not a header for credentials. Use a header such as X-Api-Key.';
}

function valueFault(value: JsonObject): string | null {
  const fault = textFault(value, 'value');
  if (fault !== null) return fault;
  const text = ownText(value, 'value') ?? '';
  if (text.trim() === '') return 'is empty.';
  if (!/^[ -~]+$/.test(text)) return 'contains line breaks, or characters other than ASCII.';
  return text === text.trim() ? null : 'begins or ends with a space.';
}

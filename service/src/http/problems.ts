import { safeJson } from 'appreg';
import { type Context } from 'hono';
import { type DatabaseFault, FAULT_MESSAGES } from '../db/error.ts';

/** Errors as problem details (RFC 9457). Types are stable for programs; titles and details are for people. */

const KINDS = {
  'malformed-request': [400, 'The request is not valid'],
  'malformed-body': [400, 'The body cannot be read'],
  'invalid-field': [400, 'A field of the body is not valid'],
  'invalid-parameter': [400, 'A parameter is not valid'],
  unauthorized: [401, 'A valid token is required'],
  'insufficient-scope': [403, 'The scope of the token does not include this request'],
  'organization-suspended': [403, 'The organization is suspended'],
  'no-operator': [403, 'The service has no operator token'],
  'sign-up-closed': [403, 'This service does not allow creating organizations'],
  'not-found': [404, 'Not found'],
  'method-not-allowed': [405, 'The method is not allowed'],
  'already-subscribed': [409, 'Already subscribed'],
  'too-many-subscriptions': [409, 'Too many subscriptions'],
  'too-many-tokens': [409, 'Too many tokens'],
  'too-many-webhooks': [409, 'Too many webhooks'],
  'webhook-disabled': [409, 'The webhook is disabled'],
  'delivery-pending': [409, 'The delivery is still pending'],
  'last-admin-token': [409, 'The last token with the scope “admin” cannot be deleted'],
  'policy-hides-everything': [409, 'The policy hides everything'],
  'artifact-pending': [409, 'The artifact is not verified yet'],
  'artifact-held': [409, 'The version is held back'],
  'artifact-refused': [410, 'The artifact was refused'],
  'artifact-withdrawn': [410, 'The version was withdrawn'],
  'precondition-failed': [412, 'The artifact has another entity tag'],
  'body-too-large': [413, 'The body is too large'],
  'unsupported-media-type': [415, 'The body is not JSON'],
  'range-not-satisfiable': [416, 'The range is not in the artifact'],
  'misdirected-request': [421, 'The request is for another host'],
  'registry-unusable': [422, 'The registry cannot be used'],
  'idempotency-key-reused': [422, 'The Idempotency-Key was used for a different request'],
  'too-many-requests': [429, 'Too many requests'],
  internal: [500, 'Internal error'],
  'artifacts-not-kept': [501, 'This service does not keep the artifact'],
  'credentials-not-supported': [501, 'This service stores no credentials'],
  unavailable: [503, 'The service is temporarily unavailable'],
} as const;

type ProblemKind = keyof typeof KINDS;

/** A refused request, thrown at any point; `web-app.ts` sends the response. */
export class Refusal extends Error {
  readonly kind: ProblemKind;
  readonly more: Record<string, unknown>;
  readonly headers: Record<string, string>;

  /**
   * @param detail what is wrong with this request, and how to fix it
   * @param more additional members of the response
   */
  constructor(
    kind: ProblemKind,
    detail: string,
    more: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) {
    super(detail);
    this.kind = kind;
    this.more = more;
    this.headers = headers;
  }
}

export function problem(c: Context, { kind, message, more, headers }: Refusal): Response {
  const [status, title] = KINDS[kind];
  const body = {
    type: `urn:appreg:problem:${kind}`,
    title,
    status,
    detail: message,
    requestId: c.get('requestId'),
    ...more,
  };
  return c.body(`${safeJson(body, 0)}\n`, status, { 'content-type': 'application/problem+json', ...headers });
}

export function json(
  c: Context,
  value: unknown,
  status: 200 | 201 | 202 = 200,
  headers: Record<string, string> = {},
): Response {
  return c.body(`${safeJson(value, 0)}\n`, status, { 'content-type': 'application/json', ...headers });
}

/** Something does not exist, or belongs to another organization: the response is the same. */
export class NotFound extends Refusal {
  readonly what: string;

  constructor(what: string) {
    super('not-found', `The ${what} does not exist.`);
    this.what = what;
  }
}

/** @returns the value @throws NotFound for null */
export function orNotFound<Value>(value: Value | null, what: string): Value {
  if (value === null) throw new NotFound(what);
  return value;
}

/** Seconds after which a client may repeat a request that failed because of the database. */
export const RETRY_AFTER = '5';

/** The response while the database has a fault. */
export function unavailable(fault: DatabaseFault): Refusal {
  return new Refusal(
    'unavailable',
    `${FAULT_MESSAGES[fault]} Try again in a moment.`,
    {},
    { 'retry-after': RETRY_AFTER },
  );
}

/** The response if the caller was deleted, or its token rotated, while the request was handled. @see isCallerDeleted */
export function callerDeleted(c: Context): Refusal {
  // The operator deals with an organization that is not its own.
  if (c.get('organization') === undefined) return new NotFound('organization');
  return new Refusal(
    'unauthorized',
    'The organization or its token was deleted, or the token was rotated, while the request was handled.',
    {},
    { 'www-authenticate': 'Bearer realm="appreg", error="invalid_token"' },
  );
}

import type { Scope } from '../tokens/scopes.ts';
import { DEFAULT_PAGE_LIMIT, PAGE_LIMIT } from '../database/page.ts';

/** Shared parts of the operations in the OpenAPI document. */

export type OpenApiObject = Record<string, unknown>;

export function response(
  description: string,
  schema: string,
  type = 'application/json',
  headers: string[] = [],
): OpenApiObject {
  return {
    description,
    content: { [type]: { schema: ref(schema) } },
    ...(headers.length === 0 ? {} : { headers: headersOf(headers) }),
  };
}

export function refusal(description: string, headers: string[] = []): OpenApiObject {
  return response(description, 'Problem', 'application/problem+json', headers);
}

export function headersOf(names: string[]): OpenApiObject {
  return Object.fromEntries(names.map((name) => [name, { required: true, schema: { type: 'string' } }]));
}

export const NOT_FOUND = { 404: refusal('The resource does not exist, or belongs to another organization.') };
const BAD_PARAMETER = { 400: refusal('A parameter is not valid; “errors” names it.') };
export const BAD_BODY = {
  400: refusal('The body is not a JSON object, is nested too deep, or a field is not valid; “errors” lists each.'),
  413: refusal('The body is larger than 16 KiB, or has more than 2,000 members and array elements.'),
  415: refusal('The Content-Type of the body is not application/json.'),
};
/** The responses with a page of a list, which has an ETag. */
export function pageResponses(schema: string): OpenApiObject {
  return {
    200: response('One page of the list.', schema, 'application/json', ['ETag']),
    ...NOT_MODIFIED,
    ...BAD_PARAMETER,
  };
}

export const NOT_MODIFIED = {
  304: { description: 'Not modified: the ETag matches If-None-Match.', headers: headersOf(['ETag']) },
};
export const NO_CREDENTIALS = {
  501: refusal(
    'The service stores no credentials (type …:credentials-not-supported): its operator has not set SECRETS_KEY.',
  ),
};
export const SERVER_ERROR = { '5XX': refusal('Internal error, or the database cannot be reached.') };
export const TOO_MANY_REQUESTS = {
  429: refusal('Too many requests.', ['Retry-After', 'RateLimit', 'RateLimit-Policy']),
};
/** Responses that every operation with a token may have. */
const FAILURES = { ...TOO_MANY_REQUESTS, ...SERVER_ERROR };
export const RATE_LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy'];

/** An operation that requires the token of an organization. */
export function forOrganization(
  operationId: string,
  summary: string,
  responses: OpenApiObject,
  rest: OpenApiObject = {},
): OpenApiObject {
  const refusals = {
    401: refusal('The token is missing or not valid.', ['WWW-Authenticate']),
    403: refusal('The scope of the token does not include this operation, or the organization is suspended.'),
  };
  return { operationId, summary, ...rest, responses: { ...responses, ...refusals, ...FAILURES } };
}

/** The scope that a token needs for an operation, if it is not `read` for GET and `manage` for other methods. */
export function requiresScope(scope: Scope): { security: OpenApiObject[] } {
  return { security: [{ token: [scope] }] };
}

/** An operation that requires the operator's token. */
export function forOperator(
  operationId: string,
  summary: string,
  responses: OpenApiObject,
  rest: OpenApiObject = {},
): OpenApiObject {
  const refusals = {
    401: refusal('The operator token is missing or not valid.', ['WWW-Authenticate']),
    403: refusal('The service has no OPERATOR_TOKEN.'),
  };
  const security = [{ operator: [] }];
  return { operationId, summary, security, ...rest, responses: { ...responses, ...refusals, ...FAILURES } };
}

/** @param optional fields that may be missing */
export function body(
  properties: Record<string, OpenApiObject>,
  optional: Record<string, OpenApiObject> = {},
): OpenApiObject {
  return bodyOf({
    type: 'object',
    required: Object.keys(properties),
    properties: { ...properties, ...optional },
  });
}

/** A body that a schema describes. */
export function bodyOf(schema: OpenApiObject): OpenApiObject {
  return { requestBody: { required: true, content: { 'application/json': { schema } } } };
}

export function parameter(
  name: string,
  place: 'path' | 'query' | 'header',
  description: string,
  schema: OpenApiObject,
): OpenApiObject {
  return { name, in: place, description, required: place === 'path', schema };
}

/** An operation without authentication. */
export function publicOperation(operationId: string, summary: string, responses: OpenApiObject): OpenApiObject {
  return { operationId, summary, security: [{}], responses };
}

export function plainResponse(description: string, type: string): OpenApiObject {
  return { description, content: { [type]: {} } };
}

/**
 * Parts of the schemas of the API's bodies, as JSON Schema 2020-12. Each shape is declared once, as its schema: its type is
 * inferred (`ValueOf`).
 */

declare const VALUE: unique symbol;

/** A schema, and the type of the values that it describes. */
export type Schema<Value = unknown> = Record<string, unknown> & { readonly [VALUE]?: { readonly value: Value } };

/** The type that a schema describes. */
export type ValueOf<S> = S extends { readonly [VALUE]?: { readonly value: infer Value } } ? Value : never;

/** Schemas by field, and the type of an object with these fields. */
type Fields = Record<string, Schema>;
export type ValuesOf<F extends Fields> = { [Name in keyof F]: ValueOf<F[Name]> };

export const text: Schema<string> = { type: 'string' };
export const count: Schema<number> = { type: 'integer', minimum: 0 };
export const flag: Schema<boolean> = { type: 'boolean' };
/** ISO 8601. */
export const dateTime: Schema<string> = { type: 'string', format: 'date-time' };
export const id: Schema<string> = { type: 'string', format: 'uuid' };
export const sha256: Schema<string> = { type: 'string', pattern: '^[0-9a-f]{64}$' };

/** Some strings, or null. */
export function choice<const Choice extends string | null>(choices: readonly Choice[]): Schema<Choice> {
  return { enum: choices };
}

/** States the type of a schema that no other function makes. */
export function schemaOf<Value>(schema: Schema<Value>): Schema<Value> {
  return schema;
}

/** A value with one type, or null. */
export function orNull<Value>(schema: Schema<Value>): Schema<Value | null> {
  return { ...schema, type: [schema['type'], 'null'] };
}

/** A value of any schema, or null. */
export function nullable<Value>(schema: Schema<Value>): Schema<Value | null> {
  return { anyOf: [schema, { type: 'null' }] };
}

export function list<Value>(items: Schema<Value>): Schema<Value[]> {
  return { type: 'array', items };
}

export function ref<Value = unknown>(name: string): Schema<Value> {
  return { $ref: `#/components/schemas/${name}` };
}

/** All properties are required, with null for absent values, and no others are allowed. */
export function strictObject<F extends Fields>(description: string, properties: F): Schema<ValuesOf<F>> {
  return { description, type: 'object', required: Object.keys(properties), properties, additionalProperties: false };
}

export function withDescription<Value>(schema: Schema<Value>, description: string): Schema<Value> {
  return { ...schema, description };
}

export const next = withDescription(orNull(text), 'Send it as “after” to get the next page; null on the last page.');

/** Parameters that several operations have. */

export const ID = parameter('id', 'path', 'Id of the subscription.', id);
export const PAGE = [
  parameter('limit', 'query', 'Maximum number of entries.', {
    type: 'integer',
    minimum: 1,
    maximum: PAGE_LIMIT,
    default: DEFAULT_PAGE_LIMIT,
  }),
  parameter('after', 'query', '“next” of the previous page.', { type: 'string' }),
];
export const IF_NONE_MATCH = parameter('If-None-Match', 'header', 'ETag of the response that the client has stored.', {
  type: 'string',
});

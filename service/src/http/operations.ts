import { ref, id } from '../domain/shape.ts';
import { type Scope } from '../domain/scopes.ts';
import { PAGE_LIMIT, DEFAULT_PAGE_LIMIT } from '../db/page.ts';

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

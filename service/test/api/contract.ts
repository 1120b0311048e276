import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Hono } from 'hono';
import { expect } from 'vitest';
import { openApiDocument } from '../../src/api/document.ts';
import { type Env } from '../../src/http/routes.ts';

/** The API's OpenAPI document, and a client that compares every response with it. */

interface Answer {
  description: string;
  content?: Record<string, { schema?: unknown }>;
  headers?: Record<string, { required: boolean }>;
}
interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
}
export interface Operation {
  method: string;
  path: string;
  operationId: string;
  security: Record<string, unknown>[];
  parameters: Parameter[];
  body: Record<string, unknown> | null;
  responses: Record<string, Answer>;
}

export const DOCUMENT = openApiDocument(null);
type PathItem = { parameters?: Parameter[] } & Record<string, Record<string, unknown>>;

export const OPERATIONS: Operation[] = Object.entries(DOCUMENT['paths'] as Record<string, PathItem>).flatMap(
  ([path, { parameters = [], ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, responses, security = DOCUMENT['security'], requestBody } = operation;
      const content = (requestBody as { content: Record<string, { schema: BodySchema }> } | undefined)?.content;
      const schema = content?.['application/json']?.schema;
      return {
        method: method.toUpperCase(),
        path,
        operationId: operationId as string,
        security: security as Record<string, unknown>[],
        parameters: [...parameters, ...((operation['parameters'] as Parameter[] | undefined) ?? [])],
        body: schema === undefined ? null : propertiesOf(schema),
        responses: responses as Record<string, Answer>,
      };
    }),
);

interface BodySchema {
  $ref?: string;
  properties?: Record<string, unknown>;
}

function propertiesOf({ $ref, properties = {} }: BodySchema): Record<string, unknown> {
  if ($ref === undefined) return properties;
  const { schemas } = DOCUMENT['components'] as { schemas: Record<string, BodySchema> };
  return schemas[$ref.replace('#/components/schemas/', '')]?.properties ?? {};
}

const ajv = new Ajv2020({
  strict: false,
  formats: { 'date-time': /^\d{4}-\d\d-\d\dT[\d:.]+Z$/, uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ },
});
ajv.addSchema({ ...DOCUMENT, $id: 'openapi' });

function validatorOf(schema: object): ValidateFunction {
  const { $ref } = schema as { $ref?: string };
  // Both compile a schema once: each is the same object, or has the same reference, for all responses.
  return $ref === undefined ? ajv.compile(schema) : ajv.getSchema(`openapi${$ref}`)!;
}

/** The operation of a request: fixed paths come before those with parameters, whatever their methods are. */
function operationOf(method: string, path: string): Operation | null {
  const fits = OPERATIONS.filter((operation) =>
    new RegExp(`^${operation.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  const [closest] = fits.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length);
  const wanted = method === 'HEAD' ? 'GET' : method;
  return fits.find((operation) => operation.path === closest?.path && operation.method === wanted) ?? null;
}

export interface ApiRequest {
  token?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}
export interface ApiResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The body, if it is JSON. */
  json: any;
}

/** The responses that were reached: `operationId status`. */
export const reachedResponses = new Set<string>();

/** Sends a request, and checks that status, type, shape and headers of the response match the document. */
export async function callApi(
  app: Hono<Env>,
  method: string,
  path: string,
  request: ApiRequest = {},
): Promise<ApiResponse> {
  const headers = new Headers(request.headers);
  if (request.token) headers.set('authorization', `Bearer ${request.token}`);
  if (request.body !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const raw = typeof request.body === 'string' || request.body instanceof Uint8Array;
  const body = request.body === undefined ? null : raw ? (request.body as string) : JSON.stringify(request.body);
  const response = await app.request(path, { method, headers, body });
  const text = await response.text();
  const type = response.headers.get('content-type')?.split(';')[0] ?? null;
  const result = {
    status: response.status,
    headers: response.headers,
    text,
    json: type?.endsWith('json') && text !== '' ? (JSON.parse(text) as unknown) : null,
  };
  const operation = operationOf(method, path.split('?')[0]!);
  if (operation !== null) check(operation, result, type, method === 'HEAD');
  return result;
}

function check(operation: Operation, result: ApiResponse, type: string | null, bodiless: boolean): void {
  const where = `${operation.operationId} ${result.status}`;
  const answer = operation.responses[String(result.status)] ?? operation.responses[`${String(result.status)[0]}XX`];
  expect(answer, `${where} is documented`).toBeDefined();
  reachedResponses.add(where);
  for (const name of Object.keys(answer!.headers ?? {}))
    expect(result.headers.has(name), `${where}: ${name}`).toBe(true);
  if (answer!.content === undefined) {
    expect([type, result.text], where).toEqual([null, '']);
    return;
  }
  expect(Object.keys(answer!.content), where).toContain(type);
  const { schema } = answer!.content[type!]!;
  if (schema === undefined || bodiless) return;
  const validate = validatorOf(schema as object);
  expect(validate(result.json), `${where}: ${ajv.errorsText(validate.errors)}\n${result.text.slice(0, 500)}`).toBe(
    true,
  );
}

/** Valid values of the fields of all bodies. */
const FIELDS: Record<string, unknown> = {
  url: 'https://shared.example.com/registry.json',
  name: 'Renamed',
  scope: 'read',
  expiresAt: null,
  events: null,
  enabled: true,
  auth: { type: 'bearer', token: 'canary-credential' },
  policy: { schema: 1, deny: ['nothing'] },
  confirm: true,
  mode: 'report',
  issuer: 'https://token.actions.githubusercontent.com',
  identity: 'https://github.com/acme/apps/.github/workflows/*',
  repository: 'https://github.com/acme/apps',
  publicKey: null,
  type: 'bearer',
  token: 'canary-credential',
  username: 'canary',
  password: 'canary-credential',
  value: 'canary-credential',
};

/** A valid body of an operation; nothing if it has none. @throws if a field has no value here */
export function bodyOf({ body }: Operation): ApiRequest {
  if (body === null) return {};
  const values = Object.keys(body).map((name) => {
    if (!(name in FIELDS)) throw new Error(`The tests have no value for the field “${name}”.`);
    return [name, FIELDS[name]];
  });
  return { body: Object.fromEntries(values) };
}

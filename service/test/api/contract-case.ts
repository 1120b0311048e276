import { expect } from 'vitest';
import { OPERATOR } from '../web-fixture.ts';
import type { AccessIds } from './access-fixture.ts';
import type { ApiRequest, ApiResponse } from './contract.ts';

/** A request to the API, and the response that the OpenAPI document promises for it. */

/** The ids and tokens of the test's database. */
export interface ContractIds extends AccessIds {
  /** The organization that sends the requests, and its token. */
  organization: string;
  token: string;
  /** The token of an organization without subscriptions. */
  otherToken: string;
  /** The subscription to the registry with apps. */
  id: string;
  /** The digest of an icon. */
  icon: string;
  /** The token that sends the requests. */
  firstTokenId: string;
  /** An organization that nothing else needs. */
  spare: string;
}

export interface ContractCase {
  name: string;
  method: string;
  path: string | ((ids: ContractIds) => string);
  /** Token, body and headers; nothing by default. */
  send?: (ids: ContractIds) => ApiRequest;
  status: number;
  /** What else holds for the response. */
  check?: (response: ApiResponse, ids: ContractIds) => void;
}

export const REGISTRY_URL = 'https://known.example.com/registry.json';
export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/** The request has the token of the organization. */
export function authenticated(request: ApiRequest = {}): (ids: ContractIds) => ApiRequest {
  return ({ token }) => ({ token, ...request });
}

/** The request has the token of the operator. */
export function asOperator(request: ApiRequest): () => ApiRequest {
  return () => ({ token: OPERATOR, ...request });
}

/** A path below that of the subscription. */
export function registryPath(rest = ''): (ids: ContractIds) => string {
  return ({ id }) => `/api/registries/${id}${rest}`;
}

/** The problem is of this type. */
export function problemType(name: string): (response: ApiResponse) => void {
  return ({ json }) => expect(json.type).toBe(`urn:appreg:problem:${name}`);
}

/** The problem names these fields. */
export function invalidFields(...names: string[]): (response: ApiResponse) => void {
  return ({ json }) => expect(json.errors.map(({ field }: { field: string }) => field)).toEqual(names);
}

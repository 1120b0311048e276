import { describe, expect, test } from 'vitest';
import { type ApiRequest, bodyOf, callApi, type Operation, OPERATIONS } from './contract.ts';
import { UNKNOWN_ID } from './contract-case.ts';
import { OPERATOR, type WebFixture } from '../web-fixture.ts';

/** What is refused in the same way on every route that documents it. */

function operations(status: number): Operation[] {
  return OPERATIONS.filter(({ responses }) => String(status) in responses);
}

/** @param open the fixture, and the token of an organization */
export function refusalTests(open: () => { web: WebFixture; token: string }): void {
  const send = (operation: Operation, request: ApiRequest, app = open().web.app()) => {
    const path = operation.path.replace(/\{\w+\}/g, UNKNOWN_ID);
    return callApi(app, operation.method, path, { token: tokenFor(operation), ...request });
  };
  const tokenFor = ({ security }: Operation): string =>
    security.some((way) => 'operator' in way) ? OPERATOR : open().token;
  describe('every route that documents it refuses', () => {
    test('requests without a token', async () => {
      for (const operation of operations(401))
        expect((await send(operation, { token: null, ...bodyOf(operation) })).status, operation.operationId).toBe(401);
    });

    test('what does not exist', async () => {
      for (const operation of operations(404).filter(({ path }) => path.includes('{')))
        expect((await send(operation, bodyOf(operation))).status, operation.operationId).toBe(404);
    });

    test('bodies that are too large, not JSON, or not sent as JSON', async () => {
      for (const operation of operations(415)) {
        const type = { 'content-type': 'text/plain' };
        expect((await send(operation, { body: '{}', headers: type })).status, operation.operationId).toBe(415);
        expect((await send(operation, { body: { name: 'x'.repeat(20_000) } })).status).toBe(413);
        expect((await send(operation, { body: '{' })).status).toBe(400);
      }
    });

    test('the operator, if the service has no operator token', async () => {
      const closed = open().web.app({ operatorToken: null });
      for (const operation of operations(403).filter(({ security }) => security.some((way) => 'operator' in way))) {
        const response = await send(operation, bodyOf(operation), closed);
        expect([operation.operationId, response.status]).toEqual([operation.operationId, 403]);
      }
    });
  });
}

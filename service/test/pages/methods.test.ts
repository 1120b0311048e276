import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWebFixture, type WebFixture } from '../web-fixture.ts';

/** The methods of the pages; those of the API are tested with it. */

let web: WebFixture;
let app: ReturnType<WebFixture['app']>;

beforeAll(async () => {
  web = await openWebFixture();
  app = web.app();
});
afterAll(() => web.stop());

describe('methods', () => {
  test.each([
    ['POST', '/apps', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/sign-in', 'GET, POST, HEAD, OPTIONS'],
    ['PUT', '/settings/registries', 'GET, HEAD, OPTIONS'],
    // Only a form is sent there; a GET request is redirected to its page.
    ['PATCH', '/sign-out', 'POST, GET, HEAD, OPTIONS'],
    ['POST', '/assets/style.css', 'GET, HEAD, OPTIONS'],
  ])('%s %s receives status 405 with the allowed ones: %s', async (method, path, allow) => {
    const response = await app.request(path, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    const options = await app.request(path, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, allow]);
  });

  test('at an address that does not exist receive status 404', async () => {
    expect((await app.request('/nothing', { method: 'PUT' })).status).toBe(404);
  });
});

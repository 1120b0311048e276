import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { vendorKeys } from '../../../test/support/attest.ts';
import { addRegistry, addSubscription } from '../database-fixture.ts';
import { openWebFixture, type WebFixture } from '../web-fixture.ts';

/** The form of the settings of a registry that sets what is required of attestations. */

let web: WebFixture;
let app: ReturnType<WebFixture['app']>;
let path: string;
let cookie: string;
let subscription: string;
beforeAll(async () => {
  web = await openWebFixture();
  app = web.app();
});
afterAll(() => web.stop());
beforeEach(async () => {
  const { id, token } = await web.join();
  const registry = await addRegistry(web.db, `https://apps.test/${id}.json`);
  subscription = await addSubscription(web.db, id, registry);
  path = `/settings/registries/${subscription}`;
  const signedIn = await post('/sign-in', { token });
  cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
});

async function post(to: string, fields: Record<string, string>, session = ''): Promise<Response> {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
    origin: 'http://localhost',
    host: 'localhost',
    cookie: session,
  };
  return app.request(to, { method: 'POST', body: new URLSearchParams(fields).toString(), headers });
}

const EMPTY = { issuer: '', repository: '', identity: '', 'public-key': '' };
const ACME = {
  ...EMPTY,
  issuer: 'https://token.actions.githubusercontent.com',
  repository: 'https://github.com/acme/apps',
};

const stored = () =>
  web.db
    .selectFrom('subscriptions')
    .where('id', '=', subscription)
    .select(['attestations', 'attestationSigner'])
    .executeTakeFirstOrThrow();

test('saves what is required, shows it again, and records who changed it', async () => {
  const answer = await post(`${path}/settings/attestations`, { ...ACME, attestations: 'require' }, cookie);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `${path}/settings?done=attestations-set`]);
  expect(await stored()).toMatchObject({
    attestations: 'require',
    attestationSigner: { issuer: ACME.issuer, identity: null, repository: ACME.repository },
  });
  const page = await (await app.request(answer.headers.get('location')!, { headers: { cookie } })).text();
  expect(page).toContain('The attestations were saved.');
  expect(page).toMatch(/name="attestations" value="require" checked/);
  expect(page).toContain(`value="${ACME.repository}"`);
  const audit = await (await app.request('/settings/audit', { headers: { cookie } })).text();
  expect(audit).toContain(ACME.repository);
});

test('accepts a key in place of an identity, and turns attestations off again', async () => {
  const { publicKey } = vendorKeys();
  expect(
    (await post(`${path}/settings/attestations`, { ...EMPTY, attestations: 'report', 'public-key': publicKey }, cookie))
      .status,
  ).toBe(303);
  expect(await stored()).toMatchObject({ attestations: 'report', attestationSigner: { publicKey } });
  expect((await post(`${path}/settings/attestations`, { ...EMPTY, attestations: 'off' }, cookie)).status).toBe(303);
  expect(await stored()).toEqual({ attestations: 'off', attestationSigner: null });
});

test.each<[string, Record<string, string>, RegExp]>([
  ['no signer', { ...EMPTY, attestations: 'require' }, /field-error/],
  ['an issuer alone', { ...EMPTY, attestations: 'require', issuer: ACME.issuer }, /field-error/],
  ['a text as the key', { ...EMPTY, attestations: 'report', 'public-key': 'text' }, /id="public-key-error"/],
  [
    'a private key',
    { ...EMPTY, attestations: 'report', 'public-key': vendorKeys().privateKey },
    /id="public-key-error"/,
  ],
  ['no mode', ACME, /Choose one of them/],
  ['another mode', { ...ACME, attestations: 'always' }, /Choose one of them/],
])('%s is refused beside its field, and nothing is changed', async (_, fields, text) => {
  const answer = await post(`${path}/settings/attestations`, fields, cookie);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toMatch(text);
  expect(await stored()).toEqual({ attestations: 'off', attestationSigner: null });
});

test('needs a session, and the registry of the organization', async () => {
  const fields = { ...ACME, attestations: 'require' };
  const anonymous = await post(`${path}/settings/attestations`, fields);
  expect([anonymous.status, anonymous.headers.get('location') ?? '']).toEqual([
    303,
    expect.stringMatching(/^\/sign-in/),
  ]);
  const { token } = await web.join();
  const other = (await post('/sign-in', { token })).headers.get('set-cookie')!.split(';')[0]!;
  expect((await post(`${path}/settings/attestations`, fields, other)).status).toBe(404);
  expect(await stored()).toEqual({ attestations: 'off', attestationSigner: null });
});

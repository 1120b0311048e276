import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { backUp } from '../../src/db/backup/back-up.ts';
import { secretsKeyIn, type SecretsKeys } from '../../src/config/secrets-keys.ts';
import { claimDeliveries } from '../../src/db/deliveries.ts';
import { webhookOf } from '../../src/db/webhooks.ts';
import { checkSecretsKeys } from '../../src/jobs/check-secrets-keys.ts';
import { maskedWebhookUrl, openWebhookUrl } from '../../src/domain/webhook-secrets.ts';
import { addWebhook } from '../api/access-fixture.ts';
import { callApi } from '../api/contract.ts';
import { openWebFixture, type WebFixture } from '../web-fixture.ts';

/** The URLs of webhooks are secrets: their paths authorize. */

const PLANTED = 'T00000000-planted';
const URL_OF_WEBHOOK = `https://hooks.slack.com/services/${PLANTED}/XXXX`;
let web: WebFixture;
let folder: string;
beforeAll(async () => {
  web = await openWebFixture();
  folder = mkdtempSync(join(tmpdir(), 'appreg-backup-'));
});
afterAll(async () => {
  await web.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await web.db.deleteFrom('organizations').execute();
  await web.db.deleteFrom('auditEntries').execute();
});

async function backup(): Promise<string> {
  const file = join(folder, 'backup.gz');
  await backUp({ databaseUrl: web.url, dataFolder: '' }, file, new AbortController().signal);
  return gunzipSync(readFileSync(file)).toString('latin1');
}

const keyOf = (byte: number) => secretsKeyIn(Buffer.alloc(32, byte).toString('base64'))!;
const startWith = (secretsKeys: SecretsKeys): Promise<void> =>
  checkSecretsKeys({ ...web.service, settings: { ...web.service.settings, secretsKeys } });

test.each([
  ['https://hooks.slack.com/services/T0/B0/x', 'https://hooks.slack.com/…'],
  ['https://discord.com/api/webhooks/1/x?wait=true', 'https://discord.com/…'],
  ['https://example.com:8443/x', 'https://example.com:8443/…'],
  ['https://example.com/?token=x', 'https://example.com/…'],
  ['https://example.com/', 'https://example.com/'],
  ['https://hooks.slack.com/…', 'https://hooks.slack.com/…'],
])('%s is masked as %s', (url, masked) => {
  expect(maskedWebhookUrl(url)).toBe(masked);
});

test('whatever is done with a webhook, its URL is neither logged nor stored', async () => {
  const { id: organization, token } = await web.join();
  const app = web.app();
  const send = (method: string, path: string, body?: unknown) =>
    callApi(app, method, `/api/webhooks${path}`, { token, ...(body === undefined ? {} : { body: body as object }) });
  const { json } = await send('POST', '', { url: URL_OF_WEBHOOK });
  // Those who may change it see it.
  expect(json.url).toBe(URL_OF_WEBHOOK);
  const path = `/${json.id}`;
  await send('POST', '', { url: 'https://other.example.com/' });
  expect((await send('GET', path)).json.url).toBe(URL_OF_WEBHOOK);
  expect((await send('PATCH', path, { url: `${URL_OF_WEBHOOK}/2` })).json.url).toBe(`${URL_OF_WEBHOOK}/2`);
  const { json: delivery } = await send('POST', `${path}/test`);
  await send('POST', `${path}/secret`);
  await send('PATCH', path, { enabled: false });
  await send('PATCH', path, { enabled: true });
  await send('POST', `${path}/deliveries/${delivery.id}/redeliver`);
  const options = { limit: 9, busyOrganizations: [], busyWebhooks: [], includeFailing: true };
  await send('POST', `${path}/test`);
  const [claimed] = await claimDeliveries(web.db, options);
  expect(openWebhookUrl(web.service.settings.secretsKeys, claimed!, json.id)).toBe(`${URL_OF_WEBHOOK}/2`);
  expect(await webhookOf(web.db, organization, json.id)).toMatchObject({ url: 'https://hooks.slack.com/…' });
  await send('DELETE', path);
  const audit = await callApi(app, 'GET', '/api/audit', { token });
  expect(audit.text).toContain('https://hooks.slack.com/…');
  for (const text of [audit.text, JSON.stringify(web.logged), await backup()]) expect(text).not.toContain(PLANTED);
});

describe('a webhook that was created without SECRETS_KEY', () => {
  test('is sealed once there is a key, and again with another one', async () => {
    const { id: organization } = await web.join();
    const id = await addWebhook(web.db, organization, URL_OF_WEBHOOK);
    expect(await backup()).toContain(PLANTED);
    await startWith([]);
    await startWith([keyOf(1)]);
    expect(await backup()).not.toContain(PLANTED);
    expect(await webhookOf(web.db, organization, id, [keyOf(1)])).toMatchObject({ url: URL_OF_WEBHOOK });
    await startWith([keyOf(2), keyOf(1)]);
    expect(await webhookOf(web.db, organization, id, [keyOf(2)])).toMatchObject({ url: URL_OF_WEBHOOK });
    expect(await webhookOf(web.db, organization, id, [keyOf(1)])).toMatchObject({ url: 'https://hooks.slack.com/…' });
    await expect(startWith([keyOf(1)])).rejects.toMatchObject({ code: 'secrets-key-wrong' });
  });

  test('of an earlier release with a key, whose secret was sealed, has its URL sealed at the start', async () => {
    const { id: organization } = await web.join();
    const id = await addWebhook(web.db, organization, URL_OF_WEBHOOK);
    await startWith([keyOf(1)]);
    await web.db
      .updateTable('webhooks')
      .set({ url: URL_OF_WEBHOOK, urlKeyId: null, sealedUrl: null })
      .where('id', '=', id)
      .execute();
    await startWith([keyOf(1)]);
    expect(await backup()).not.toContain(PLANTED);
    expect(await webhookOf(web.db, organization, id, [keyOf(1)])).toMatchObject({ url: URL_OF_WEBHOOK });
  });
});

test('a change without fields returns the webhook, and writes nothing', async () => {
  const { token } = await web.join();
  const app = web.app();
  const { json: created } = await callApi(app, 'POST', '/api/webhooks', { token, body: { url: URL_OF_WEBHOOK } });
  const path = `/api/webhooks/${created.id}`;
  const before = await web.db.selectFrom('auditEntries').selectAll().execute();
  const { status, json } = await callApi(app, 'PATCH', path, { token, body: {} });
  expect([status, json.url]).toEqual([200, URL_OF_WEBHOOK]);
  expect(await web.db.selectFrom('auditEntries').selectAll().execute()).toEqual(before);
  const { token: other } = await web.join();
  expect((await callApi(app, 'PATCH', path, { token: other, body: {} })).status).toBe(404);
});

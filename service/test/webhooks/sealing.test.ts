import { afterAll, beforeAll, expect, test } from 'vitest';
import { secretsKeyIn, type SecretsKeys } from '../../src/config/secrets-keys.ts';
import { listAuditEntries } from '../../src/db/audit.ts';
import { checkSecretsKeys } from '../../src/jobs/check-secrets-keys.ts';
import { newWebhookSecret, openWebhookSecret, signingSecrets } from '../../src/domain/webhook-secrets.ts';
import { addWebhook } from '../api/access-fixture.ts';
import { openWebFixture, type WebFixture } from '../web-fixture.ts';

let web: WebFixture;
beforeAll(async () => {
  web = await openWebFixture();
});
afterAll(() => web.stop());

const keyOf = (byte: number) => secretsKeyIn(Buffer.alloc(32, byte).toString('base64'))!;

/** What happens to secrets when a node starts with these keys. */
function startWith(secretsKeys: SecretsKeys): Promise<void> {
  return checkSecretsKeys({ ...web.service, settings: { ...web.service.settings, secretsKeys } });
}

test('secrets of webhooks are sealed once there is a key, and sealed again with a new one', async () => {
  const { id: organization } = await web.join();
  const secret = newWebhookSecret();
  const id = await addWebhook(web.db, organization, 'https://hooks.example.com/', { secret });
  const stored = () =>
    web.db.selectFrom('webhooks').select(['keyId', 'secret']).where('id', '=', id).executeTakeFirstOrThrow();
  expect((await stored()).keyId).toBeNull();
  const [first, second] = [keyOf(1), keyOf(2)];
  await startWith([first]);
  expect((await stored()).keyId).toBe(first.id);
  expect((await stored()).secret.includes(secret.slice(6, 20))).toBe(false);
  await startWith([second, first]);
  expect((await stored()).keyId).toBe(second.id);
  expect(openWebhookSecret([second], await stored(), id)).toBe(secret);
  expect(openWebhookSecret([first], await stored(), id)).toBeNull();
  expect(openWebhookSecret([second], await stored(), organization)).toBeNull();
  await expect(startWith([])).rejects.toMatchObject({ code: 'secrets-key-missing', message: /secrets of 1 webhook,/ });
  await expect(startWith([first])).rejects.toMatchObject({ code: 'secrets-key-wrong' });
});

test('a webhook that is created while there is a key is sealed', async () => {
  const { token } = await web.join();
  const response = await web.app().request('/api/webhooks', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://hooks.example.com/' }),
  });
  const { id, secret } = (await response.json()) as { id: string; secret: string };
  const row = await web.db
    .selectFrom('webhooks')
    .select(['keyId', 'secret'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(row.keyId).not.toBeNull();
  expect(openWebhookSecret(web.service.settings.secretsKeys, row, id)).toBe(secret);
  expect(JSON.stringify(web.logged)).not.toContain('whsec_');
});

test('the secret of a webhook is replaced: the new one is shown, and both are stored sealed', async () => {
  const { id: organization, token } = await web.join();
  const { token: stranger } = await web.join();
  const old = newWebhookSecret();
  const id = await addWebhook(web.db, organization, 'https://hooks.example.com/', { secret: old });
  const replace = (bearer: string) =>
    web.app().request(`/api/webhooks/${id}/secret`, { method: 'POST', headers: { authorization: `Bearer ${bearer}` } });
  expect((await replace(stranger)).status).toBe(404);
  const response = await replace(token);
  expect(response.status).toBe(200);
  const { secret } = (await response.json()) as { secret: string };
  const row = await web.db
    .selectFrom('webhooks')
    .select(['keyId', 'secret'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const stored = openWebhookSecret(web.service.settings.secretsKeys, row, id);
  expect(signingSecrets(stored ?? '', new Date())).toEqual([secret, old]);
  expect(row.keyId).not.toBeNull();
  const { entries } = await listAuditEntries(web.db, organization, { action: null, limit: 1, after: null });
  expect(entries).toMatchObject([{ action: 'webhook-secret-replaced', target: { id } }]);
  expect(JSON.stringify([web.logged, entries])).not.toContain('whsec_');
});

import { expect } from 'vitest';
import { authenticated, type ContractCase, type ContractIds, invalidFields, problemType } from './contract-case.ts';

/** Webhooks and their deliveries. */

const URL_OF_RECEIVER = 'https://hooks.example.com/appreg?signature=planted#fragment';

const webhookPath =
  (rest = '') =>
  ({ webhook }: ContractIds): string =>
    `/api/webhooks/${webhook}${rest}`;

export const webhookCases: ContractCase[] = [
  {
    name: 'a webhook is created, with its secret',
    method: 'POST',
    path: '/api/webhooks',
    send: authenticated({ body: { url: URL_OF_RECEIVER, events: ['version-verified', 'subscribed', 'subscribed'] } }),
    status: 201,
    check: ({ json, text }) => {
      expect(json.events).toEqual(['subscribed', 'version-verified']);
      expect(json).toMatchObject({ enabled: true, disabledReason: null, pending: 0, dropped: 0 });
      expect(text).not.toContain('planted');
    },
  },
  ...[
    'hooks.example.com',
    'http://hooks.example.com/',
    'https://hooks.example.com:8443/',
    'https://user:password@hooks.example.com/',
    'https://127.0.0.1/',
    'https://[::ffff:10.0.0.1]/',
    'https://2130706433/',
    'ftp://hooks.example.com/',
    `https://hooks.example.com/${'x'.repeat(2048)}`,
    `https://hooks.example.com/${'ü'.repeat(400)}`,
    5,
    undefined,
  ].map((url): ContractCase => ({
    name: `a webhook with the URL ${String(url).slice(0, 60)} is refused`,
    method: 'POST',
    path: '/api/webhooks',
    send: authenticated({ body: { url } }),
    status: 400,
    check: invalidFields('url'),
  })),
  ...[[], ['version-verified', 'test'], ['x'], 'subscribed', [5]].map((events): ContractCase => ({
    name: `a webhook with the events ${JSON.stringify(events)} is refused`,
    method: 'POST',
    path: '/api/webhooks',
    send: authenticated({ body: { url: URL_OF_RECEIVER, events } }),
    status: 400,
    check: invalidFields('events'),
  })),
  {
    name: 'webhooks are listed without their secrets',
    method: 'GET',
    path: '/api/webhooks?limit=2',
    send: authenticated(),
    status: 200,
    check: ({ json, text }, { webhook, disabledWebhook }) => {
      expect(json.webhooks).toMatchObject([
        { id: webhook, pending: 1, enabled: true },
        { id: disabledWebhook, enabled: false },
      ]);
      expect(json.next).toBe(disabledWebhook);
      expect(text).not.toContain('whsec_');
    },
  },
  {
    name: 'an invalid page of webhooks is refused',
    method: 'GET',
    path: '/api/webhooks?after=x',
    send: authenticated(),
    status: 400,
    check: invalidFields('after'),
  },
  { name: 'one webhook is read', method: 'GET', path: webhookPath(), send: authenticated(), status: 200 },
  {
    name: 'the deliveries of a webhook are listed, the newest first',
    method: 'GET',
    path: webhookPath('/deliveries'),
    send: authenticated(),
    status: 200,
    check: ({ json }, { delivery, pendingDelivery }) =>
      expect(json.deliveries).toMatchObject([
        { id: pendingDelivery, state: 'pending', attempts: 0 },
        { id: delivery, state: 'delivered', nextAttemptAt: null },
      ]),
  },
  {
    name: 'an invalid page of deliveries is refused',
    method: 'GET',
    path: webhookPath('/deliveries?after=x'),
    send: authenticated(),
    status: 400,
    check: invalidFields('after'),
  },
  {
    name: 'a delivery is queued again, with the same id',
    method: 'POST',
    path: ({ webhook, delivery }) => `/api/webhooks/${webhook}/deliveries/${delivery}/redeliver`,
    send: authenticated(),
    status: 202,
    check: ({ json }, { delivery }) => expect(json).toMatchObject({ id: delivery, state: 'pending', attempts: 0 }),
  },
  {
    name: 'a delivery that is pending is not queued again',
    method: 'POST',
    path: ({ webhook, pendingDelivery }) => `/api/webhooks/${webhook}/deliveries/${pendingDelivery}/redeliver`,
    send: authenticated(),
    status: 409,
    check: problemType('delivery-pending'),
  },
  {
    name: 'the secret of a webhook is replaced, and shown once',
    method: 'POST',
    path: webhookPath('/secret'),
    send: authenticated(),
    status: 200,
    check: ({ json }, { webhook }) =>
      expect(json).toMatchObject({ id: webhook, secret: expect.stringMatching(/^whsec_/) as string }),
  },
  {
    name: 'a test event is queued',
    method: 'POST',
    path: webhookPath('/test'),
    send: authenticated(),
    status: 202,
    check: ({ json }) => expect(json).toMatchObject({ type: 'test', state: 'pending' }),
  },
  {
    name: 'a disabled webhook is not tested',
    method: 'POST',
    path: ({ disabledWebhook }) => `/api/webhooks/${disabledWebhook}/test`,
    send: authenticated(),
    status: 409,
    check: problemType('webhook-disabled'),
  },
  {
    name: 'a webhook is disabled, which cancels what is waiting',
    method: 'PATCH',
    path: webhookPath(),
    send: authenticated({ body: { enabled: false, events: null, url: 'https://other.example.com' } }),
    status: 200,
    check: ({ json }) =>
      expect(json).toMatchObject({ enabled: false, pending: 0, events: null, url: 'https://other.example.com/' }),
  },
  {
    name: 'a change of a webhook with invalid fields is refused',
    method: 'PATCH',
    path: webhookPath(),
    send: authenticated({ body: { enabled: 'no', events: [], url: null } }),
    status: 400,
    check: invalidFields('url', 'events', 'enabled'),
  },
  { name: 'a webhook is deleted', method: 'DELETE', path: webhookPath(), send: authenticated(), status: 204 },
];

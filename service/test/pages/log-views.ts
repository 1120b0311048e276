import { AUDIT_ACTIONS, type AuditEntryView } from '../../src/domain/audit.ts';
import { eventMessage } from '../../src/domain/events.ts';
import { type EventView, type NewEvent, registryEvent } from '../../src/domain/events.ts';
import { type DeliveryView, type WebhookView } from '../../src/domain/webhooks.ts';
import { type TokenView } from '../../src/domain/tokens.ts';
import { HOSTILE_TEXTS, NOW, PROBLEMS, version } from './views.ts';

/** Sample data for the screens of events, tokens, webhooks and the audit log. */

function hoursAgo(hours: number): string {
  return new Date(NOW.getTime() - hours * 3_600_000).toISOString();
}

export function events(list: readonly NewEvent[]): EventView[] {
  return list.map((event, i) => ({
    ...event,
    id: `${i}`,
    time: hoursAgo(i * 5),
    registry: { id: PROBLEMS.id, name: PROBLEMS.name },
    message: eventMessage(event),
  }));
}

const { artifactChecksum: checksum } = version();

function checked(outcome: 'good' | 'problems' | 'failing' | 'unfinished', errors: number): NewEvent {
  const changes = errors === 0 ? {} : { 'version-refused': errors, 'version-listed': 2 };
  return registryEvent('checked', { outcome, seconds: 3.2, errors, warnings: 1, apps: 112, changes });
}

const about = { app: 'clock', version: '1.2.0' };

export const EVENTS = events([
  checked('problems', 3),
  {
    type: 'version-refused',
    ...about,
    data: {
      rule: 'artifact-checksum-mismatch',
      checksum,
      listed: null,
      served: version({ version: '9.9.9' }).artifactChecksum,
      offered: false,
    },
  },
  { type: 'version-verified', ...about, data: { checksum, bytes: 48_213 } },
  { type: 'app-hidden', app: 'feed-watch', version: null, data: { reasons: ['artifact-refused'] } },
  {
    type: 'app-key-claimed',
    app: 'clock',
    version: null,
    data: { registry: { id: '7d9c4a0e-7b1d-4a56-8f5e-0c1b2a3d4e5f', name: 'Community' } },
  },
  registryEvent('recovered', { failingSince: hoursAgo(60) }),
  registryEvent('failing', { rule: 'unreachable' }),
  registryEvent('certificate-changed', {
    host: 'apps.example.com',
    before: { fingerprint256: 'AB:CD', subject: 'apps.example.com', issuer: 'Example CA', notAfter: hoursAgo(-900) },
    after: { fingerprint256: 'EF:01', subject: 'apps.example.com', issuer: 'Example CA', notAfter: hoursAgo(-9000) },
  }),
  registryEvent('policy-changed', { before: null, after: { schema: 1, minimumAge: '3d' }, hidden: 2, appearing: 0 }),
  registryEvent('subscribed', { official: false }),
]);

export const CHECKS = events([
  checked('good', 0),
  checked('problems', 3),
  checked('failing', 1),
  checked('unfinished', 0),
]);

export const HOSTILE_EVENTS = events(
  HOSTILE_TEXTS.map((text) => ({ type: 'app-listed', app: text, version: null, data: { name: text } })),
);

export const TOKENS: TokenView[] = [
  {
    id: '7d9c4a0e-7b1d-4a56-8f5e-0c1b2a3d4e5f',
    name: 'First token',
    scope: 'admin',
    createdAt: hoursAgo(2000),
    expiresAt: null,
    lastUsedAt: hoursAgo(0),
  },
  {
    id: '8d9c4a0e-7b1d-4a56-8f5e-0c1b2a3d4e5f',
    name: 'CI of the flows team',
    scope: 'read',
    createdAt: hoursAgo(300),
    expiresAt: hoursAgo(20),
    lastUsedAt: null,
  },
  {
    id: '9d9c4a0e-7b1d-4a56-8f5e-0c1b2a3d4e5f',
    name: HOSTILE_TEXTS[0]!,
    scope: 'manage',
    createdAt: hoursAgo(300),
    expiresAt: hoursAgo(-900),
    lastUsedAt: hoursAgo(30),
  },
];

export const ENTRIES: AuditEntryView[] = AUDIT_ACTIONS.map((action, i) => ({
  id: String(i),
  at: hoursAgo(i),
  actor: {
    type: (['token', 'session', 'operator', 'visitor', 'service'] as const)[i % 5]!,
    token: i % 5 < 2 ? { id: TOKENS[0]!.id, name: HOSTILE_TEXTS[i % HOSTILE_TEXTS.length]! } : null,
    address: i % 5 === 4 ? null : '2001:db8::1',
  },
  action,
  target: { id: null, name: i % 3 === 0 ? null : HOSTILE_TEXTS[i % HOSTILE_TEXTS.length]! },
  outcome: action === 'request-refused' ? 'refused' : 'done',
  details: i % 2 === 0 ? {} : { scope: 'read', before: HOSTILE_TEXTS[i % HOSTILE_TEXTS.length]!, end: null },
}));

const WEBHOOK: WebhookView = {
  id: 'ad9c4a0e-7b1d-4a56-8f5e-0c1b2a3d4e5f',
  url: 'https://hooks.example.com/appreg',
  events: null,
  enabled: true,
  disabledReason: null,
  createdAt: hoursAgo(500),
  failingSince: null,
  pending: 0,
  dropped: 0,
};

export const WEBHOOKS: WebhookView[] = [
  WEBHOOK,
  { ...WEBHOOK, events: ['failing', 'version-refused'], failingSince: hoursAgo(7), pending: 3, dropped: 2 },
  { ...WEBHOOK, url: `https://hooks.example.com/${HOSTILE_TEXTS[0]!}`, enabled: false, disabledReason: 'gone' },
];

const DELIVERY: DeliveryView = {
  id: 'bd9c4a0e-7b1d-4a56-8f5e-0c1b2a3d4e5f',
  type: 'version-refused',
  createdAt: hoursAgo(2),
  state: 'delivered',
  attempts: 1,
  lastAttemptAt: hoursAgo(2),
  nextAttemptAt: null,
  status: 204,
  error: null,
};

export const DELIVERIES: DeliveryView[] = [
  DELIVERY,
  { ...DELIVERY, state: 'pending', attempts: 3, status: 500, nextAttemptAt: hoursAgo(-1) },
  { ...DELIVERY, state: 'pending', attempts: 0, status: null, lastAttemptAt: null, nextAttemptAt: hoursAgo(0) },
  { ...DELIVERY, state: 'failed', attempts: 12, status: null, error: 'unreachable' },
  { ...DELIVERY, state: 'cancelled' },
];

import { expect } from 'vitest';
import { EVENT_TYPES } from '../../src/domain/events.ts';
import { type NewEvent, registryEvent } from '../../src/domain/events.ts';
import { authenticated, type ContractCase, invalidFields, registryPath, UNKNOWN_ID } from './contract-case.ts';

/** The history of registries: events of every type, and how they are listed. */

const checksum = `sha256:${'a'.repeat(64)}`;
const certificate = { fingerprint256: 'AA:BB', subject: 'CN=h', issuer: 'CN=CA', notAfter: '2027-01-01T00:00:00.000Z' };
const about = { app: 'mail', version: '1.0.0' };

/** One event of each type; that of the subscription is recorded with it. */
export const EVENTS: readonly NewEvent[] = [
  { type: 'app-listed', app: 'mail', version: null, data: { name: 'Mail \u0000\ud800' } },
  { type: 'version-listed', ...about, data: { checksum, artifactUrl: 'https://h.example/1.tar.gz' } },
  { type: 'version-verified', ...about, data: { checksum, bytes: 5 } },
  {
    type: 'version-refused',
    ...about,
    data: { rule: 'artifact-changed', checksum, listed: 'soon\u001b', served: checksum, offered: false },
  },
  { type: 'version-withdrawn', ...about, data: { checksum, wasVerified: true } },
  { type: 'version-restored', ...about, data: { checksum } },
  { type: 'version-held', ...about, data: { checksum, rule: 'attestation-missing', cause: null } },
  {
    type: 'version-attested',
    ...about,
    data: {
      checksum,
      issuer: null,
      identity: null,
      repository: 'https://h.example/\u001b',
      commit: null,
      key: 'a'.repeat(64),
    },
  },
  {
    type: 'version-deprecated',
    ...about,
    data: { reason: 'security', message: 'It leaks \u001b', use: '1.0.1', since: null },
  },
  { type: 'version-undeprecated', ...about, data: { reason: 'security' } },
  { type: 'app-hidden', app: 'mail', version: null, data: { reasons: ['artifact-refused'] } },
  { type: 'app-shown', app: 'mail', version: null, data: { latest: '1.0.0' } },
  {
    type: 'app-key-claimed',
    app: 'mail',
    version: null,
    data: { registry: { id: UNKNOWN_ID, name: 'Other \u001b' } },
  },
  registryEvent('failing', { rule: 'unreachable' }),
  registryEvent('recovered', { failingSince: '2026-01-01T00:00:00.000Z' }),
  registryEvent('certificate-changed', { host: 'h.example', before: certificate, after: certificate }),
  registryEvent('policy-changed', {
    before: null,
    after: { schema: 1, deny: ['mail@<1.0.0-\u001b'] },
    hidden: 1,
    appearing: 0,
  }),
  registryEvent('checked', {
    outcome: 'problems',
    seconds: 1.25,
    errors: 1,
    warnings: 0,
    apps: 3,
    changes: { 'version-refused': 1 },
  }),
];

export const eventCases: ContractCase[] = [
  {
    name: 'the events of a registry are listed, the newest first',
    method: 'GET',
    path: registryPath('/events'),
    send: authenticated(),
    status: 200,
    check: ({ json }, { id }) => {
      const types = json.events.map(({ type }: { type: string }) => type);
      expect(types).toEqual([...EVENTS.map(({ type }) => type).toReversed(), 'subscribed']);
      expect(new Set(types)).toEqual(new Set(EVENT_TYPES));
      expect(json.events[0]).toMatchObject({ registry: { id }, data: { errors: 1 } });
      expect(json.next).toBeNull();
    },
  },
  {
    name: 'events are filtered by app and type, and paged',
    method: 'GET',
    path: registryPath('/events?app=mail&type=version-refused&limit=1'),
    send: authenticated(),
    status: 200,
    check: ({ json }) =>
      expect(json.events).toMatchObject([{ app: 'mail', version: '1.0.0', data: { listed: 'soon\u001b' } }]),
  },
  {
    name: 'the events of all registries are listed',
    method: 'GET',
    path: '/api/events?limit=2',
    send: authenticated(),
    status: 200,
    check: ({ json }) => {
      expect(json.events.map(({ type }: { type: string }) => type)).toEqual(['checked', 'policy-changed']);
      expect(json.next).toBe(json.events[1].id);
    },
  },
  {
    name: 'a type of events that does not exist is refused',
    method: 'GET',
    path: '/api/events?type=exploded',
    send: authenticated(),
    status: 400,
    check: invalidFields('type'),
  },
  {
    name: 'an invalid cursor of events is refused',
    method: 'GET',
    path: registryPath('/events?after=7'),
    send: authenticated(),
    status: 400,
    check: invalidFields('after'),
  },
  {
    name: 'an invalid cursor of registries is refused',
    method: 'GET',
    path: '/api/registries?after=7',
    send: authenticated(),
    status: 400,
    check: invalidFields('after'),
  },
  { name: 'listing events needs a token', method: 'GET', path: '/api/events', status: 401 },
  { name: 'listing events of a registry needs a token', method: 'GET', path: registryPath('/events'), status: 401 },
  {
    name: 'the events of an unknown registry are not found',
    method: 'GET',
    path: `/api/registries/${UNKNOWN_ID}/events`,
    send: authenticated(),
    status: 404,
  },
];

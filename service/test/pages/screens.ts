import { ATTESTATIONS_OFF } from '../../src/domain/signers.ts';
import { policyForm } from '../../src/ui/attestations.ts';
import { type Screen } from '../../src/ui/layout.ts';
import { appPage } from '../../src/ui/app.ts';
import {
  type AppsPage,
  appsPage,
  type AppListQuery,
  type RegistryAppsPage,
  registryAppsPage,
} from '../../src/ui/apps.ts';
import { failurePage, signInPage, signUpPage, tokenGonePage, tokenPage } from '../../src/ui/account-pages.ts';
import { NO_AUTH, subscribePage } from '../../src/ui/subscribe.ts';
import { auditPage } from '../../src/ui/audit.ts';
import { type HealthPage, healthPage } from '../../src/ui/registry-health.ts';
import { type History, historyPage, organizationHistoryPage } from '../../src/ui/events.ts';
import { organizationPage } from '../../src/ui/organizations.ts';
import { type RegistriesPage, registriesPage } from '../../src/ui/registries.ts';
import { type RegistrySettingsPage, registrySettingsPage, unsubscribePage } from '../../src/ui/registry-settings.ts';
import {
  createdTokenPage,
  deleteTokenPage,
  EMPTY_TOKEN_FORM,
  type TokensPage,
  tokensPage,
} from '../../src/ui/tokens.ts';
import {
  webhookSecretPage,
  deleteWebhookPage,
  webhookPage,
  type WebhooksPage,
  webhooksPage,
} from '../../src/ui/webhooks.ts';
import { WEBHOOK_EVENT_TYPES } from '../../src/domain/webhooks.ts';
import { type Catalogue } from '../../src/db/app-catalogue.ts';
import { type AppView } from '../../src/domain/apps.ts';
import { ABOUT_SCREENS } from './about-screens.ts';
import { CHECKS, DELIVERIES, ENTRIES, EVENTS, HOSTILE_EVENTS, TOKENS, WEBHOOKS } from './log-views.ts';
import { policyScreens } from './policy-screens.ts';
import * as views from './views.ts';

/** Every screen, in the states that it can be in; by name. Those that begin with `entry` are shown without a session. */

const { NOW, APPS, CLEAN, FAILING, FINDINGS, FRESH, HOSTILE_TEXTS, PROBLEMS, REPORT, SUSPECTED, VERSIONS } = views;

const QUERY: AppListQuery = { search: '', filter: 'all', order: 'name', registry: null };

function catalogue(apps: readonly AppView[], more: Partial<Catalogue> = {}): Catalogue {
  const hidden = apps.filter(({ visible }) => visible !== true).length;
  return {
    apps: apps.map((one) => ({
      ...one,
      registry: { id: PROBLEMS.id, name: PROBLEMS.name },
      newestAt: one.latest === null ? null : '2026-04-02T09:00:00.000Z',
    })),
    page: 1,
    totals: { all: apps.length, visible: apps.length - hidden, hidden },
    ...more,
  };
}

const FRAME = {
  subscription: views.subscription({ apps: APPS.length, visible: 2 }),
  isWaiting: false,
  done: null,
  scope: 'admin',
  now: NOW,
} as const;

function registry(more: Partial<RegistryAppsPage>): Screen {
  return registryAppsPage({ ...FRAME, catalogue: catalogue(APPS), query: QUERY, ...more });
}

function health(more: Partial<HealthPage>): Screen {
  return healthPage({ ...FRAME, report: CLEAN, ...more });
}

function settings(more: Partial<RegistrySettingsPage>): Screen {
  return registrySettingsPage({
    ...FRAME,
    name: FRAME.subscription.name,
    nameError: null,
    auth: NO_AUTH,
    authError: null,
    attestations: policyForm(ATTESTATIONS_OFF),
    hasPolicy: false,
    ...more,
  });
}

function registries(list: RegistriesPage['list'], more: Partial<RegistriesPage> = {}): Screen {
  return registriesPage({ list, search: '', page: 1, done: null, scope: 'admin', now: NOW, ...more });
}

function apps(more: Partial<AppsPage>): Screen {
  return appsPage({
    catalogue: catalogue(APPS),
    query: { ...QUERY, filter: 'visible' },
    registries: [
      { value: PROBLEMS.id, label: PROBLEMS.name },
      { value: FAILING.id, label: FAILING.name },
    ],
    scope: 'admin',
    now: NOW,
    ...more,
  });
}

const HISTORY: History = {
  events: EVENTS,
  next: null,
  after: null,
  type: 'all',
  defaultType: 'checked',
  app: null,
  now: NOW,
};

function history(more: Partial<History>): Screen {
  return historyPage({ ...FRAME, history: { ...HISTORY, ...more } });
}

function tokens(more: Partial<TokensPage>): Screen {
  const done = null;
  return tokensPage({
    tokens: TOKENS,
    own: TOKENS[0]!.id,
    form: EMPTY_TOKEN_FORM,
    done,
    error: null,
    now: NOW,
    ...more,
  });
}

function webhooks(more: Partial<WebhooksPage>): Screen {
  const form = { url: '', urlError: null, events: [] };
  return webhooksPage({ webhooks: [], form, types: WEBHOOK_EVENT_TYPES, done: null, now: NOW, ...more });
}

const TOKEN = `apr_${'Ab3_'.repeat(10)}xyz`;
const long = HOSTILE_TEXTS[0]!;

const hostileApps: AppView[] = HOSTILE_TEXTS.map((text, i) =>
  views.app({
    key: i === 0 ? text : `key-${i}`,
    name: text,
    description: text,
    color: i % 2 === 0 ? null : '#ffee00',
    latest: i === 1 ? `1.0.0-${'a'.repeat(2000)}` : '1.0.0',
    ...(i === 3 ? { visible: false, latest: null, reasons: [{ code: 'x', message: text }] } : {}),
  }),
);

const hostile = views.subscription({
  name: long,
  url: `https://example.com/${long}?token=secret-secret-secret`,
});

export const SCREENS: Record<string, () => Screen> = {
  'entry-sign-in': () => signInPage({ error: null, openSignUp: true, next: '/' }),
  'entry-sign-in-wrong': () => signInPage({ error: 'No organization has this token.', openSignUp: false, next: '/' }),
  'entry-sign-up': () => signUpPage({ error: null, name: '', key: 'k' }),
  'entry-token': () => tokenPage(views.organization(), TOKEN, false),
  'entry-token-gone': () => tokenGonePage(),
  'entry-failure': () => failurePage({ title: 'Not found', text: 'This page does not exist.', signedIn: false }),
  'token-rotated': () => tokenPage(views.organization(), TOKEN, true),
  registries: () =>
    registries([
      views.subscription({
        id: '4c9c4a0e-7b1d-4a56-8f5e-0c1b2a3d4e5f',
        name: 'Core',
        official: true,
        url: 'https://registry.example.org/core.json',
        apps: 48,
        visible: 48,
      }),
      views.subscription({
        id: '5c9c4a0e-7b1d-4a56-8f5e-0c1b2a3d4e5f',
        name: 'Community',
        official: true,
        url: 'https://registry.example.org/community.json',
        apps: 1204,
        visible: 1180,
        warnings: 7,
      }),
      PROBLEMS,
      SUSPECTED,
      FAILING,
      FRESH,
    ]),
  'registries-empty': () => registries([], { done: 'You unsubscribed from the registry.' }),
  'registries-many': () =>
    registries(
      Array.from({ length: 240 }, (_, i) =>
        views.subscription({ id: PROBLEMS.id.replace('1c9c', String(1000 + i)), name: `Registry ${i}` }),
      ),
      { search: 'registry', page: 2 },
    ),
  'registries-hostile': () =>
    registries(
      HOSTILE_TEXTS.map((name, i) => ({ ...hostile, name, id: hostile.id.replace('0b9c', `00${10 + i}`) })),
      { search: '' },
    ),
  subscribe: () => subscribePage({ url: '', name: '', urlError: null, nameError: null, auth: NO_AUTH, unusable: null }),
  'subscribe-wrong': () =>
    subscribePage({
      url: 'apps.example.com',
      name: '',
      urlError: 'This is no URL of a registry. Write the whole address, with https:// in front.',
      nameError: 'The name is empty. Write what your organization calls the registry.',
      auth: { type: 'basic', faults: [{ field: 'username', fault: 'contains a colon.' }] },
      unusable: null,
    }),
  'subscribe-unusable': () =>
    subscribePage({
      url: PROBLEMS.url,
      name: 'Vendor tools',
      urlError: null,
      nameError: null,
      auth: NO_AUTH,
      unusable: {
        message: FINDINGS[0]!.message,
        advice: 'If the registry is private, subscribe with its credentials.',
        isFinding: true,
        findings: FINDINGS.slice(0, 2),
      },
    }),
  'subscribe-hostile': () =>
    subscribePage({
      url: hostile.url,
      name: long,
      urlError: null,
      nameError: null,
      auth: NO_AUTH,
      unusable: { message: long, advice: null, isFinding: false, findings: views.HOSTILE_FINDINGS },
    }),
  registry: () => registry({ done: 'You are subscribed.' }),
  'registry-read': () => registry({ scope: 'read' }),
  'registry-problems': () => registry({ subscription: PROBLEMS }),
  'registry-failing': () => registry({ subscription: FAILING }),
  'registry-new': () => registry({ subscription: FRESH, catalogue: catalogue([]) }),
  'registry-progress': () =>
    registry({
      subscription: {
        ...FRESH,
        apps: 40,
        progress: { apps: { total: 40, read: 23 }, artifacts: { total: 31, verified: 11 } },
      },
    }),
  'registry-search-none': () => registry({ query: { ...QUERY, search: 'nothing like it' }, catalogue: catalogue([]) }),
  'registry-pages': () =>
    registry({
      isWaiting: true,
      query: { ...QUERY, filter: 'hidden', order: 'newest' },
      catalogue: catalogue(APPS, { page: 2, totals: { all: 5000, visible: 4500, hidden: 500 } }),
    }),
  'registry-hostile': () =>
    registry({ subscription: hostile, catalogue: catalogue(hostileApps), query: { ...QUERY, search: long } }),
  health: () => health({}),
  'health-problems': () => health({ subscription: PROBLEMS, report: REPORT }),
  'health-failing': () => health({ subscription: FAILING, report: REPORT }),
  'health-none': () => health({ subscription: FRESH, report: null }),
  'health-hostile': () =>
    health({ subscription: hostile, report: { ...REPORT, findings: views.HOSTILE_FINDINGS, outcome: 'incomplete' } }),
  settings: () => settings({}),
  'settings-read': () => settings({ scope: 'read' }),
  'settings-wrong': () => settings({ name: '', nameError: 'The name is empty. Enter a name for this registry.' }),
  'settings-private': () =>
    settings({
      subscription: {
        ...PROBLEMS,
        state: 'unauthorized',
        auth: { type: 'bearer', changedAt: '2026-05-04T09:00:00.000Z' },
      },
    }),
  ...policyScreens(FRAME),
  'settings-hostile': () => settings({ subscription: hostile, name: long }),
  unsubscribe: () => unsubscribePage(PROBLEMS),
  app: () =>
    appPage({
      subscription: PROBLEMS,
      app: APPS[0]!,
      versions: VERSIONS,
      next: '1.0.0',
      after: null,
      findings: { own: [], shared: [] },
      events: [],
      sameKey: [{ id: FAILING.id, name: 'Community' }],
      now: NOW,
    }),
  ...ABOUT_SCREENS,
  'app-hidden': () =>
    appPage({
      subscription: PROBLEMS,
      app: APPS[2]!,
      versions: [VERSIONS[3]!],
      next: null,
      after: null,
      findings: { own: FINDINGS.slice(0, 1), shared: FINDINGS.slice(1, 2) },
      events: EVENTS.slice(1, 4),
      sameKey: [],
      now: NOW,
    }),
  'app-none': () =>
    appPage({
      subscription: FAILING,
      app: views.app({
        versions: 0,
        offered: 0,
        latest: null,
        visible: false,
        failingSince: FAILING.failingSince,
      }),
      versions: [],
      next: null,
      after: '1.0.0',
      findings: { own: [], shared: [] },
      events: [],
      sameKey: [],
      now: NOW,
    }),
  'app-hostile': () =>
    appPage({
      subscription: hostile,
      app: hostileApps[0]!,
      versions: HOSTILE_TEXTS.map((text) =>
        views.version({
          version: text,
          artifactUrl: `https://example.com/${text}`,
          reason: { rule: 'x', message: text },
        }),
      ),
      next: null,
      after: null,
      findings: { own: views.HOSTILE_FINDINGS, shared: views.HOSTILE_FINDINGS },
      events: HOSTILE_EVENTS,
      sameKey: HOSTILE_TEXTS.map((text) => ({ id: FAILING.id, name: text })),
      now: NOW,
    }),
  history: () => history({ next: 'x' }),
  'history-checks': () => history({ events: CHECKS, type: 'checked', after: 'x' }),
  'history-none': () => history({ events: [], app: 'clock' }),
  'history-hostile': () => history({ events: HOSTILE_EVENTS, app: long }),
  'history-all': () => organizationHistoryPage({ ...HISTORY, events: [...EVENTS, ...HOSTILE_EVENTS] }),
  tokens: () => tokens({}),
  'tokens-wrong': () =>
    tokens({
      form: {
        ...EMPTY_TOKEN_FORM,
        nameError: 'The name is empty.',
        expiresError: 'The date is in the past. Enter a later one.',
      },
      error: 'An organization can have at most 100 tokens.',
    }),
  'token-created': () => createdTokenPage(TOKENS[1]!, TOKEN),
  'token-delete': () => deleteTokenPage(TOKENS[2]!, true),
  webhooks: () => webhooks({ webhooks: WEBHOOKS }),
  'webhooks-wrong': () =>
    webhooks({ form: { url: 'http://x', urlError: 'The URL is not https.', events: ['failing'] } }),
  webhook: () => webhookPage({ webhook: WEBHOOKS[0]!, deliveries: DELIVERIES, done: null, now: NOW }),
  'webhook-new': () =>
    webhookPage({ webhook: WEBHOOKS[1]!, deliveries: [], done: 'The event is being sent.', now: NOW }),
  'webhook-created': () => webhookSecretPage(WEBHOOKS[0]!, `whsec_${'Ab3_'.repeat(8)}`),
  'webhook-secret': () => webhookSecretPage(WEBHOOKS[0]!, `whsec_${'Ab3_'.repeat(8)}`, true),
  'webhook-delete': () => deleteWebhookPage(WEBHOOKS[1]!),
  audit: () => auditPage({ entries: ENTRIES, next: '1', after: '9', action: null, now: NOW }),
  'audit-none': () => auditPage({ entries: [], next: null, after: null, action: 'token-created', now: NOW }),
  'failure-signed-in': () => failurePage({ title: 'Not found', text: 'This page does not exist.', signedIn: true }),
  organization: () => organizationPage(views.organization(), 'admin'),
  'organization-read': () => organizationPage(views.organization(), 'read'),
  'organization-hostile': () => organizationPage(views.organization({ name: long }), 'admin'),
  apps: () => apps({}),
  'apps-pages': () =>
    apps({ catalogue: catalogue(APPS, { page: 3, totals: { all: 5012, visible: 5000, hidden: 12 } }) }),
  'apps-empty': () => apps({ catalogue: catalogue([]), registries: [] }),
  'no-apps-verified': () => apps({ catalogue: catalogue(APPS.slice(2)) }),
  'apps-hostile': () =>
    apps({
      catalogue: catalogue(hostileApps),
      query: { ...QUERY, search: 'x' },
      registries: HOSTILE_TEXTS.map((label, i) => ({ value: String(i), label })),
    }),
};

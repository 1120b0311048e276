import type { Screen } from '../../../src/service/pages/layout.ts';
import { appPage, cataloguePage } from '../../../src/service/pages/app-page.ts';
import {
  failurePage,
  signInPage,
  signUpPage,
  tokenGonePage,
  tokenPage,
} from '../../../src/service/pages/account-pages.ts';
import { type RegistryPage, registryPage, reportPage } from '../../../src/service/pages/registry-page.ts';
import {
  organizationPage,
  registriesPage,
  renamePage,
  subscribePage,
  unsubscribePage,
} from '../../../src/service/pages/settings-pages.ts';
import type { AppView } from '../../../src/service/views.ts';
import * as views from './views.ts';

/** Every screen, in the states that it can be in; by name. Those that begin with `entry` are shown without a session. */

const { NOW, APPS, CLEAN, FAILING, FINDINGS, FRESH, HOSTILE_TEXTS, PROBLEMS, REPORT, VERSIONS } = views;

function registry(more: Partial<RegistryPage>): Screen {
  return registryPage({
    subscription: views.subscription({ apps: APPS.length, visible: 2 }),
    report: CLEAN,
    apps: APPS,
    next: null,
    after: null,
    search: '',
    show: 'all',
    waiting: false,
    done: null,
    now: NOW,
    ...more,
  });
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

const hostileFindings = HOSTILE_TEXTS.map((text, i) => ({
  ...FINDINGS[0]!,
  rule: `rule-${i}`,
  message: text,
  advice: text,
  url: `https://example.com/${text}`,
  app: text,
  evidence: { listed: text, [`name-${i}`]: text, answered: [text, text] },
}));

export const SCREENS: Record<string, () => Screen> = {
  'entry-sign-in': () => signInPage({ error: null, openSignUp: true, next: '/' }),
  'entry-sign-in-wrong': () => signInPage({ error: 'No organization has this token.', openSignUp: false, next: '/' }),
  'entry-sign-up': () => signUpPage({ error: null, name: '', key: 'k' }),
  'entry-token': () => tokenPage(views.organization(), TOKEN, false),
  'entry-token-gone': () => tokenGonePage(),
  'entry-failure': () => failurePage({ title: 'Not found', text: 'This page does not exist.', signedIn: false }),
  'token-rotated': () => tokenPage(views.organization(), TOKEN, true),
  registries: () =>
    registriesPage(
      [
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
        FAILING,
        FRESH,
      ],
      null,
      NOW,
    ),
  'registries-empty': () => registriesPage([], 'You unsubscribed from the registry.', NOW),
  'registries-hostile': () =>
    registriesPage(
      HOSTILE_TEXTS.map((name, i) => ({ ...hostile, name, id: hostile.id.replace('0b9c', `00${10 + i}`) })),
      null,
      NOW,
    ),
  subscribe: () => subscribePage({ url: '', name: '', urlError: null, nameError: null, unusable: null }),
  'subscribe-wrong': () =>
    subscribePage({
      url: 'apps.example.com',
      name: '',
      urlError: 'This is no URL of a registry. Write the whole address, with https:// in front.',
      nameError: 'The name is empty. Write what your organization calls the registry.',
      unusable: null,
    }),
  'subscribe-unusable': () =>
    subscribePage({
      url: PROBLEMS.url,
      name: 'Vendor tools',
      urlError: null,
      nameError: null,
      unusable: { message: 'Its manifest cannot be used.', findings: FINDINGS.slice(0, 2) },
    }),
  'subscribe-hostile': () =>
    subscribePage({
      url: hostile.url,
      name: long,
      urlError: null,
      nameError: null,
      unusable: { message: long, findings: hostileFindings },
    }),
  registry: () => registry({ done: 'You are subscribed.' }),
  'registry-problems': () => registry({ subscription: PROBLEMS, report: REPORT }),
  'registry-failing': () => registry({ subscription: FAILING, report: REPORT }),
  'registry-new': () => registry({ subscription: FRESH, report: null, apps: [] }),
  'registry-search-none': () => registry({ search: 'nothing like it', apps: [] }),
  'registry-pages': () => registry({ next: 'lamp', after: 'a', waiting: true, show: 'hidden' }),
  'registry-hostile': () =>
    registry({
      subscription: hostile,
      apps: hostileApps,
      report: { ...REPORT, findings: hostileFindings },
      search: long,
    }),
  rename: () => renamePage(PROBLEMS, PROBLEMS.name, 'The name is empty. Write one.'),
  unsubscribe: () => unsubscribePage(PROBLEMS),
  report: () => reportPage(PROBLEMS, REPORT, NOW),
  'report-none': () => reportPage(FRESH, null, NOW),
  'report-hostile': () => reportPage(hostile, { ...REPORT, findings: hostileFindings, outcome: 'incomplete' }, NOW),
  app: () =>
    appPage({
      subscription: PROBLEMS,
      app: APPS[0]!,
      versions: VERSIONS,
      next: '1.0.0',
      after: null,
      findings: [],
      now: NOW,
    }),
  'app-hidden': () =>
    appPage({
      subscription: PROBLEMS,
      app: APPS[2]!,
      versions: [VERSIONS[3]!],
      next: null,
      after: null,
      findings: FINDINGS.slice(0, 1),
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
      findings: [],
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
      findings: hostileFindings,
      now: NOW,
    }),
  organization: () => organizationPage(views.organization()),
  'organization-hostile': () => organizationPage(views.organization({ name: long })),
  apps: () =>
    cataloguePage({
      apps: APPS.slice(0, 2).map((one) => ({ ...one, registry: { id: PROBLEMS.id, name: PROBLEMS.name } })),
      next: 'x',
      after: null,
      search: '',
      registries: 2,
    }),
  'apps-empty': () => cataloguePage({ apps: [], next: null, after: null, search: '', registries: 0 }),
  'no-apps-verified': () => cataloguePage({ apps: [], next: null, after: null, search: '', registries: 2 }),
  'apps-hostile': () =>
    cataloguePage({
      apps: hostileApps.map((one) => ({ ...one, registry: { id: PROBLEMS.id, name: long } })),
      next: null,
      after: null,
      search: 'x',
      registries: 2,
    }),
};

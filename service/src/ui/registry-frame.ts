import { counted } from 'appreg';
import { copyable, html, type Html, NO_MARKUP, sanitized, untrusted } from 'appreg/node';
import { type SubscriptionView } from '../domain/registries.ts';
import { type Scope } from '../domain/scopes.ts';
import { type RegistryTab, breadcrumbs, registryPath, tabs, REGISTRY_TABS } from './navigation.ts';
import { type Screen } from './layout.ts';
import { isBusy, stateOf, stateDetails, nextCheckText, progressText } from './states.ts';
import { chip, ifAllowed, doneNotice, status, relativeTime } from './components.ts';
import { type MemberRequest } from './request.ts';
import { type Service } from '../context.ts';
import { orNotFound } from '../http/problems.ts';
import { subscriptionOf } from '../db/subscriptions.ts';

/** Common parts of all pages of a registry: its name and state, "Refresh now", and the tabs. */

export interface RegistryFrame {
  subscription: SubscriptionView;
  /** A check was requested and has not completed. */
  isWaiting: boolean;
  /** The confirmation of the last action. */
  done: string | null;
  scope: Scope;
  now: Date;
}

/** Seconds between updates of a page: during a check, and otherwise. */
const [BUSY_INTERVAL, IDLE_INTERVAL] = [2, 30];

/** @param content of the tab */
export function registryScreen(frame: RegistryFrame, tab: RegistryTab, content: Html): Screen {
  const { subscription, isWaiting, done, scope } = frame;
  const isChecking = isWaiting || isBusy(subscription);
  const body = html`${breadcrumbs({ href: 'settings/registries', text: 'App Registries' })}
    <div class="head">
      <div class="head-text">
        <h1>${untrusted(subscription.name, 200)} ${subscription.official ? chip('Official') : NO_MARKUP}</h1>
        <p class="url">${copyable(subscription.url, 'registry URL')}</p>
      </div>
      ${ifAllowed(scope, 'manage', 'Refreshing', refreshForm(subscription, tab, isChecking))}
    </div>
    ${doneNotice(done)} ${stateBox(frame)}
    <div id="tabs" data-live>${registryTabs(subscription, tab)}</div>
    ${content}`;
  return {
    title: `${sanitized(subscription.name, 60)} · ${TAB_NAMES[tab]}`,
    section: 'registries',
    body,
    refreshAfter: refreshInterval(tab, isChecking),
    hasForm: tab === 'settings',
  };
}

function refreshForm({ id }: SubscriptionView, tab: RegistryTab, isChecking: boolean): Html {
  return html`<form method="post" action="${registryPath(id)}/refresh" id="refresh-form" data-quiet data-live>
    <input type="hidden" name="tab" value="${tab}" />
    ${isChecking ? html`<button class="working" aria-disabled="true">Checking…</button>` : html`<button>Refresh now</button>`}
  </form>`;
}

function refreshInterval(tab: RegistryTab, isChecking: boolean): number | null {
  if (isChecking) return BUSY_INTERVAL;
  return tab === 'settings' ? null : IDLE_INTERVAL;
}

const TAB_NAMES: Record<RegistryTab, string> = {
  apps: 'Apps',
  health: 'Health',
  history: 'History',
  settings: 'Settings',
};

function registryTabs({ id, apps, errors, warnings }: SubscriptionView, current: RegistryTab): Html {
  const numbers: Record<RegistryTab, number | null> = {
    apps,
    health: errors + warnings || null,
    history: null,
    settings: null,
  };
  return tabs(
    'Registry',
    REGISTRY_TABS.map((tab) => ({
      href: registryPath(id, tab),
      label: TAB_NAMES[tab],
      isCurrent: tab === current,
      number: numbers[tab],
    })),
    'page',
  );
}

function stateBox({ subscription, isWaiting, now }: RegistryFrame): Html {
  const { tone, word } = stateOf(subscription);
  return html`<div class="state" id="state" role="status" data-live>
    <div class="state-line">
      ${status(tone, word)} ${stateDetails(subscription, now)}
      <span class="schedule muted"
        >${subscription.checkedAt === null ? NO_MARKUP : html`<span>Checked ${relativeTime(subscription.checkedAt, now)}</span>`}
        <span>${nextCheckText(subscription, now, isWaiting)}</span></span
      >
    </div>
    ${progress(subscription)} ${stateText(subscription, now)}
  </div>`;
}

/** Progress of a check. */
function progress({ progress: current }: SubscriptionView): Html {
  if (current === null) return NO_MARKUP;
  const { apps, artifacts } = current;
  return html`<div class="progress">
    <progress
      max="${Math.max(1, apps.total + artifacts.total)}"
      value="${apps.read + artifacts.verified}"
      aria-labelledby="progress-text"
    ></progress>
    <span id="progress-text">${progressText(current)}</span>
  </div>`;
}

function stateText({ checkedAt, failingSince, goodAt, visible }: SubscriptionView, now: Date): Html {
  if (checkedAt === null)
    return html`<p>
      The registry is being read for the first time. Apps can be installed as soon as their artifacts are verified.
    </p>`;
  if (failingSince === null) return NO_MARKUP;
  return html`<p>
    ${goodAt === null ? NO_MARKUP : html`The last successful check was ${relativeTime(goodAt, now)}. `}The last known
    state remains valid:
    ${visible === 0 ? 'no app can be installed.' : `${counted(visible, 'app')} can still be installed, from verified versions.`}
  </p>`;
}

/** The subscription in the path. @throws PageError if the organization does not have it */
export async function requestedSubscription(
  { organization, parameter }: MemberRequest,
  { db, settings }: Service,
): Promise<SubscriptionView> {
  return orNotFound(await subscriptionOf(db, organization.id, parameter('id'), settings.interval), 'registry');
}
/** Milliseconds that a page waits for a requested check. */
const CHECK_TIMEOUT = 120_000;

/** Confirmations of the last action, by the parameter `done`. */
const CONFIRMATIONS = new Map([
  ['subscribed', 'You are subscribed. The apps of the registry become available as they are verified.'],
  ['accepted', 'You are subscribed. The registry responds slowly: its first check continues in the background.'],
  ['renamed', 'The registry was renamed.'],
  ['auth-set', 'The credentials were saved. The registry is now checked with them.'],
  ['auth-removed', 'The credentials were removed.'],
  ['policy-set', 'The policy was saved, and applies at once.'],
  ['policy-removed', 'The policy was removed.'],
  ['attestations-set', 'The attestations were saved. The registry is checked soon.'],
]);

/** Frame of a registry's page, with the message about the last action from its query. */
export function registryFrame({ member, query, now }: MemberRequest, subscription: SubscriptionView): RegistryFrame {
  return {
    subscription,
    isWaiting: isWaiting(subscription, query('requested'), now),
    done: CONFIRMATIONS.get(query('done') ?? '') ?? null,
    scope: member.scope,
    now,
  };
}

/** True if a check was requested recently and has not completed. @param requested when, in milliseconds since 1970 */
function isWaiting({ checkedAt }: SubscriptionView, requested: string | null, now: Date): boolean {
  if (requested === null) return false;
  const since = Number(requested);
  const isRecent = now.getTime() - since < CHECK_TIMEOUT && since <= now.getTime();
  return isRecent && Date.parse(checkedAt ?? '1970') < since;
}

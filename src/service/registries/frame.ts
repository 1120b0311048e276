import { counted } from '../../core/text/text.ts';
import type { SubscriptionView } from './schema.ts';
import { sanitized, untrusted, type Html, html, NOTHING, copyable } from '../../html/html.ts';
import type { Screen } from '../pages/layout.ts';
import { chip, doneNotice, ifAllowed, status, relativeTime } from '../pages/components.ts';
import type { Scope } from '../tokens/scopes.ts';
import { breadcrumbs, tabs, REGISTRY_TABS, registryPath, type RegistryTab } from '../pages/navigation.ts';
import { isBusy, nextCheckText, progressText, stateDetails, stateOf } from '../pages/states.ts';

/** What all pages of a registry have in common: its name and state, "Refresh now", and the tabs. */

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
        <h1>${untrusted(subscription.name, 200)} ${subscription.official ? chip('Official') : NOTHING}</h1>
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
        >${subscription.checkedAt === null ? NOTHING : html`<span>Checked ${relativeTime(subscription.checkedAt, now)}</span>`}
        <span>${nextCheckText(subscription, now, isWaiting)}</span></span
      >
    </div>
    ${progress(subscription)} ${stateText(subscription, now)}
  </div>`;
}

/** How far a check has got. */
function progress({ progress: current }: SubscriptionView): Html {
  if (current === null) return NOTHING;
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
  if (failingSince === null) return NOTHING;
  return html`<p>
    ${goodAt === null ? NOTHING : html`The last successful check was ${relativeTime(goodAt, now)}. `}The last known
    state remains valid:
    ${visible === 0 ? 'no app can be installed.' : `${counted(visible, 'app')} can still be installed, from verified versions.`}
  </p>`;
}

import type { AppView, VersionView } from './schema.ts';
import type { SubscriptionView } from '../registries/schema.ts';
import { pathWithQuery, appPath, registryPath, breadcrumbs, cursorLinks } from '../pages/navigation.ts';
import { reasons, installability, versionCount, tile } from './components.ts';
import type { EventView } from '../history/events.ts';
import { emptyState, relativeTime } from '../pages/components.ts';
import { aboutLinks, retirementText } from '../../html/about.ts';
import { eventTable } from '../history/page.ts';
import { type AppFindings, findingList } from '../pages/findings.ts';
import { type Html, html, NOTHING, code, sanitized, untrusted, copyable } from '../../html/html.ts';
import type { Screen } from '../pages/layout.ts';
import { isBusy } from '../pages/states.ts';
import { versionList } from './version-list.ts';

/** An app: whether it can be installed, its versions, and the findings about it. */

interface AppPage {
  subscription: SubscriptionView;
  app: AppView;
  versions: readonly VersionView[];
  /** The cursors of the next page of versions and of this one; null if there is none. */
  next: string | null;
  after: string | null;
  /** The app's findings in the last report. */
  findings: AppFindings;
  /** Its last events, the newest first. */
  events: readonly EventView[];
  /** The other registries of the organization that list an app with the same key. */
  sameKey: readonly { id: string; name: string }[];
  now: Date;
}

export function appPage(view: AppPage): Screen {
  const { subscription, app, versions } = view;
  const name = app.name === '' ? app.key : app.name;
  const body = html`${breadcrumbs({ href: 'apps', text: 'Apps' }, { href: registryPath(subscription.id), text: subscription.name })}
    <div class="head app-head">
      ${tile(app, true)}
      <div class="head-text">
        <h1>${untrusted(name, 400)}</h1>
        <p class="url">${copyable(app.key, 'key')}</p>
      </div>
    </div>
    ${app.description === '' ? NOTHING : html`<p class="lead long">${untrusted(app.description, 1000)}</p>`}
    ${linkList(app)} ${stateBox(view)}
    <div id="app-findings" data-live>${findingsSection(view)}</div>
    ${versionsSection(view)} ${historySection(view)}`;
  const isPending = versions.some(({ state }) => state === 'pending');
  return {
    title: sanitized(name, 60),
    section: 'apps',
    body,
    refreshAfter: isBusy(subscription) || isPending ? 3 : 60,
  };
}

/** What the author links to. */
function linkList({ links }: AppView): Html {
  const rows = aboutLinks(links).map(
    ([label, value]) =>
      html`<div>
        <dt>${label}</dt>
        <dd>${value}</dd>
      </div>`,
  );
  return html`<div id="app-links" data-live>
    ${rows.length === 0 ? NOTHING : html`<dl class="app-links digests">${rows}</dl>`}
  </div>`;
}

function stateBox({ app, subscription, sameKey, now }: AppPage): Html {
  return html`<div class="state" id="state" role="status" data-live>
    <div class="state-line">
      ${installability(app)} ${app.latest === null ? NOTHING : html`<span>Latest ${code(app.latest, 80)}</span>`}
      <span class="muted">${versionCount(app)}</span>
      <span class="schedule muted"
        ><span>from <a href="${registryPath(subscription.id)}">${untrusted(subscription.name, 80)}</a></span></span
      >
    </div>
    ${reasons(app)}
    ${app.deprecated === null ? NOTHING : html`<p class="retired">${retirementText(app.deprecated, 'the latest version')}</p>`}
    ${sameKey.length === 0 ? NOTHING : sameKeyNote(app.key, sameKey)}
    ${app.failingSince === null ? NOTHING : html`<p class="muted">Its metadata file cannot be used (first noticed ${relativeTime(app.failingSince, now)}). The last known state remains valid.</p>`}
  </div>`;
}

/** Other apps with this key are not this app. */
function sameKeyNote(key: string, registries: AppPage['sameKey']): Html {
  const links = registries.map(
    ({ id, name }) => html`<li><a href="${appPath(id, key)}">${untrusted(name, 80)}</a></li>`,
  );
  return html`<p class="muted">Other registries list another app with this key. Neither replaces the other:</p>
    <ul class="reasons">
      ${links}
    </ul>`;
}

function findingsSection({ findings, subscription }: AppPage): Html {
  const health = html`<a href="${registryPath(subscription.id, 'health')}">Health of the registry</a>`;
  const { own, shared } = findings;
  return html`${
    own.length === 0
      ? NOTHING
      : html`<section aria-labelledby="findings-title">
          <div class="section-head">
            <h2 id="findings-title">Findings about this app</h2>
            ${health}
          </div>
          ${findingList(own)}
        </section>`
  }
  ${
    shared.length === 0
      ? NOTHING
      : html`<section aria-labelledby="shared-title">
          <div class="section-head">
            <h2 id="shared-title">Findings that affect other apps as well</h2>
            ${own.length === 0 ? health : NOTHING}
          </div>
          ${findingList(shared)}
        </section>`
  }`;
}

function versionsSection({ subscription, app, versions, next, after, now }: AppPage): Html {
  const first = after === null ? null : appPath(subscription.id, app.key);
  const older = next === null ? null : appPath(subscription.id, app.key, next);
  return html`<section aria-labelledby="versions-title">
    <div class="section-head"><h2 id="versions-title">Versions</h2></div>
    <p class="muted">
      A version is offered once its artifact was fetched and its SHA-256 matched. The first digest that matched is
      pinned.
    </p>
    <div id="versions" data-live>
      ${
        versions.length === 0
          ? emptyState('No versions known', 'The metadata file of the app lists no readable versions.')
          : versionList(versions, { registryUrl: subscription.url, appKey: app.key, latest: app.latest, now })
      }
      ${cursorLinks(first, older)}
    </div>
  </section>`;
}

function historySection({ subscription, app, events, now }: AppPage): Html {
  return html`<section aria-labelledby="history-title">
    <div class="section-head">
      <h2 id="history-title">History</h2>
      <a href="${pathWithQuery(registryPath(subscription.id, 'history'), { app: app.key })}">All events of this app</a>
    </div>
    <div id="app-history" data-live>
      ${events.length === 0 ? html`<p class="muted">Nothing has changed since your organization subscribed.</p>` : eventTable(events, 'app', now)}
    </div>
  </section>`;
}

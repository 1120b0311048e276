import type { Finding } from '../../core/engine/report.ts';
import { size } from '../../report/words.ts';
import type { AppView, InstallableView, SubscriptionView, VersionView } from '../views.ts';
import { appRow, reasons, installability, versionCount } from './app-row.ts';
import { code, legible, untrusted } from './untrusted-text.ts';
import { type Html, html, NOTHING } from './html.ts';
import type { Screen } from './layout.ts';
import { copyable, empty, searchForm, status } from './components.ts';
import { tile } from './tile.ts';
import { findingList } from './findings.ts';
import { found, pager } from './registry-page.ts';
import { backLink } from './settings-pages.ts';
import { isBusy, versionState } from './states.ts';
import { day, when } from './time.ts';

/** An app with its versions; and the apps of all registries. */

export interface AppPage {
  subscription: SubscriptionView;
  app: AppView;
  versions: readonly VersionView[];
  next: string | null;
  after: string | null;
  /** The app's findings in the last report. */
  findings: readonly Finding[];
  now: Date;
}

export function appPage({ subscription, app, versions, next, after, findings, now }: AppPage): Screen {
  const path = `settings/registries/${subscription.id}/app?key=${encodeURIComponent(app.key)}`;
  const body = html`${backLink(`settings/registries/${subscription.id}`, subscription.name)}
    <div class="head app-head">
      ${tile(app, true)}
      <div class="head-text">
        <h1>${untrusted(app.name === '' ? app.key : app.name, 400)}</h1>
        <p class="url">${code(app.key, 200)}</p>
      </div>
    </div>
    ${app.description === '' ? NOTHING : html`<p class="lead long">${untrusted(app.description, 1000)}</p>`}
    <div class="state" id="state" role="status" data-live>
      <p class="state-line">
        ${installability(app)} ${app.latest === null ? NOTHING : html`<span>Latest ${code(app.latest, 80)}</span>`}
        <span class="muted">${versionCount(app)}</span>
      </p>
      ${reasons(app)}
      ${app.failingSince === null ? NOTHING : html`<p class="muted">Its metadata file was first found unusable ${when(app.failingSince, now)}; the last known state remains valid.</p>`}
    </div>
    <div id="app-problems" data-live>
      ${
        findings.length === 0
          ? NOTHING
          : html`<section aria-labelledby="problems-title">
              <h2 id="problems-title">Problems</h2>
              ${findingList(findings)}
            </section>`
      }
    </div>
    <section aria-labelledby="versions-title">
      <div class="section-head"><h2 id="versions-title">Versions</h2></div>
      <p class="muted">
        A version is offered once its artifact was fetched and its SHA-256 matched. The digest that was seen first stays
        in force.
      </p>
      <div id="versions" data-live>
        ${
          versions.length === 0
            ? empty('No versions known', 'The app’s metadata file lists no readable versions.')
            : html`<ul class="rows versions">
                ${versions.map((version) => versionRow(version, now))}
              </ul>`
        }
        ${pager(after === null ? null : path, next === null ? null : `${path}&after=${encodeURIComponent(next)}`)}
      </div>
    </section>`;
  const pending = versions.some(({ state }) => state === 'pending');
  return {
    title: legible(app.name === '' ? app.key : app.name, 60),
    section: 'registries',
    body,
    refreshAfter: isBusy(subscription) || pending ? 3 : 60,
  };
}

function versionRow(version: VersionView, now: Date): Html {
  const { tone, word } = versionState(version);
  return html`<li class="row version-row">
    <div class="version-head">
      <h3 class="version">${code(version.version, 120)}</h3>
      ${status(tone, word)}
      <p class="meta muted">
        ${version.bytes === null ? NOTHING : html`<span>${size(version.bytes)}</span>`}
        <span>first seen ${day(version.firstSeenAt)}</span>
        ${version.verifiedAt === null ? NOTHING : html`<span>verified ${when(version.verifiedAt, now)}</span>`}
      </p>
    </div>
    ${why(version, now)}
    <dl class="digests">
      <div>
        <dt>Pinned digest</dt>
        <dd>${copyable(version.artifactChecksum, `digest of ${legible(version.version, 60)}`)}</dd>
      </div>
      ${
        version.swappedChecksum === null
          ? NOTHING
          : html`<div class="swapped">
              <dt>Listed now</dt>
              <dd>${copyable(version.swappedChecksum, 'currently listed digest')}</dd>
            </div>`
      }
      <div>
        <dt>Artifact</dt>
        <dd>${code(version.artifactUrl, 500)}</dd>
      </div>
    </dl>
  </li>`;
}

function why({ state, offered, reason, swappedChecksum, withdrawnAt }: VersionView, now: Date): Html {
  const lines: (Html | string)[] = [];
  if (swappedChecksum !== null)
    lines.push(
      `The metadata file now lists a different artifact than when it was first seen. Replaced artifacts are never offered: ${offered ? 'only the artifact with the pinned digest is offered.' : 'it is not offered.'}`,
    );
  if (reason !== null) lines.push(untrusted(reason.message, 500));
  if (state === 'withdrawn')
    lines.push(
      withdrawnAt === null
        ? 'The app is no longer in the manifest, so it is not offered.'
        : html`It was taken out of the metadata file ${when(withdrawnAt, now)}, so it is not offered. Listed again with
          the same digest, it is.`,
    );
  if (state === 'pending' && reason === null) lines.push('Its artifact is being fetched.');
  return lines.length === 0
    ? NOTHING
    : html`<ul class="reasons">
        ${lines.map((line) => html`<li>${line}</li>`)}
      </ul>`;
}

export interface CataloguePage {
  apps: readonly InstallableView[];
  next: string | null;
  after: string | null;
  search: string;
  /** The number of registries that can provide apps. */
  registries: number;
}

export function cataloguePage(view: CataloguePage): Screen {
  const bare = view.apps.length === 0 && view.search === '' && view.after === null;
  const body = html`<div class="head">
      <div>
        <h1>Apps</h1>
        <p class="lead">All installable apps from your registries.</p>
      </div>
    </div>
    <div id="catalogue" data-shape="${bare ? 'bare' : 'list'}">
      ${bare ? noneAtAll(view.registries) : catalogueList(view)}
    </div>`;
  return { title: 'Apps', section: 'apps', body, refreshAfter: 30 };
}

function catalogueList({ apps, next, after, search }: CataloguePage): Html {
  const address = (to: string | null): string => {
    const query = new URLSearchParams({
      ...(search === '' ? {} : { q: search }),
      ...(to === null ? {} : { after: to }),
    });
    return `apps?${query.toString()}`;
  };
  return html`${searchForm('apps', search)}
    <div id="app-list" data-live>
      ${search === '' ? NOTHING : html`<p class="muted" role="status">${found(apps.length, next !== null || after !== null, search)}</p>`}
      <h2 class="unseen">Installable apps</h2>
      <ul class="rows">
        ${apps.map((app) => catalogueRow(app))}
      </ul>
      ${pager(after === null ? null : address(null), next === null ? null : address(next))}
    </div>`;
}

function catalogueRow(app: InstallableView): Html {
  const registry = `settings/registries/${app.registry.id}`;
  const from = html`<p class="from muted">from ${untrusted(app.registry.name, 80)}</p>`;
  return appRow(app, `${registry}/app?key=${encodeURIComponent(app.key)}`, from);
}

function noneAtAll(registries: number): Html {
  return registries === 0
    ? empty(
        'No apps yet',
        'Apps come from registries. Subscribe to one by its URL.',
        html`<a class="button primary" href="settings/registries/subscribe">Subscribe to Registry</a>`,
      )
    : empty(
        'No apps to install yet',
        'Your registries have none that is verified. Their pages say why.',
        html`<a class="button" href="settings/registries">App Registries</a>`,
      );
}

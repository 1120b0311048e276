import type { Report } from '../../core/engine/report.ts';
import { count, elapsedTime, size } from '../../report/words.ts';
import type { AppView, SubscriptionView } from '../views.ts';
import { appRow } from './app-row.ts';
import { legible, untrusted } from './untrusted-text.ts';
import { type Html, html, NOTHING } from './html.ts';
import type { Screen } from './layout.ts';
import { chip, copyable, empty, doneNotice, notice, searchForm, status } from './components.ts';
import { symptomList, unjudgedList } from './findings.ts';
import { backLink } from './settings-pages.ts';
import { isBusy, schedule, stateOf } from './states.ts';
import { day, when } from './time.ts';

/** A registry: its state, its problems and its apps; and its whole report. */

/** Which apps of a registry are shown. */
export const APP_FILTERS = ['all', 'visible', 'hidden'] as const;
type AppFilter = (typeof APP_FILTERS)[number];

export interface RegistryPage {
  subscription: SubscriptionView;
  report: Report | null;
  apps: readonly AppView[];
  /** The cursors of the next page of apps and of this one; null if there is none. */
  next: string | null;
  after: string | null;
  search: string;
  show: AppFilter;
  /** A check was requested and has not completed. */
  waiting: boolean;
  /** The confirmation of the last action. */
  done: string | null;
  now: Date;
}

export function registryPage(view: RegistryPage): Screen {
  const { subscription, report, waiting, done, now } = view;
  const { tone, word } = stateOf(subscription, waiting);
  const path = `settings/registries/${subscription.id}`;
  const bare = subscription.apps === 0 && view.search === '';
  const body = html`${backLink('settings/registries', 'App Registries')}
    <div class="head">
      <div class="head-text">
        <h1>${untrusted(subscription.name, 200)} ${subscription.official ? chip('Official') : NOTHING}</h1>
        <p class="url">${copyable(subscription.url, 'registry URL')}</p>
      </div>
      <form method="post" action="${path}/refresh" data-quiet><button id="refresh">Refresh now</button></form>
    </div>
    ${doneNotice(done)}
    <div class="state" id="state" role="status" data-live>
      <p class="state-line">${status(tone, word)} ${schedule(subscription, now)}</p>
      ${stateText(subscription, now)}
    </div>
    <section id="problems" aria-labelledby="problems-title" data-live>
      <div class="section-head">
        <h2 id="problems-title">Health</h2>
        ${report === null ? NOTHING : html`<a href="${path}/report">Full report</a>`}
      </div>
      ${report === null ? html`<p class="muted">The report appears after the first check.</p>` : symptomList(report, 'causes')}
    </section>
    <section id="apps" aria-labelledby="apps-title" data-shape="${bare ? 'bare' : 'list'}">
      <div class="section-head"><h2 id="apps-title">Apps</h2></div>
      ${bare ? noApps(subscription) : appList(view, path)}
    </section>
    <section class="manage" aria-labelledby="manage-title">
      <h2 id="manage-title">Subscription</h2>
      <p class="muted">Subscribed since ${day(subscription.createdAt)}.</p>
      <p class="actions">
        <a class="button" href="${path}/rename">Rename</a>
        <a class="button danger-quiet" href="${path}/unsubscribe">Unsubscribe</a>
      </p>
    </section>`;
  return {
    title: legible(subscription.name, 60),
    section: 'registries',
    body,
    refreshAfter: waiting || isBusy(subscription) ? 2 : 30,
  };
}

function stateText({ checkedAt, failingSince, goodAt, visible }: SubscriptionView, now: Date): Html {
  if (checkedAt === null)
    return html`<p>
      The registry is being read for the first time: its apps appear here as their artifacts are verified. This page
      updates automatically.
    </p>`;
  if (failingSince !== null)
    return html`<p>
      The first failed check was
      ${when(failingSince, now)}${goodAt === null ? NOTHING : html`, the last successful one ${when(goodAt, now)}`}. The
      last known state remains valid:
      ${visible === 0 ? 'no app can be installed.' : `${count(visible, 'app')} can still be installed, from verified versions.`}
    </p>`;
  return NOTHING;
}

function noApps(subscription: SubscriptionView): Html {
  if (isBusy(subscription))
    return empty('Looking for apps', 'The manifest is being read. Apps appear here as soon as they are known.');
  return subscription.goodAt === null
    ? empty('No apps known', 'The registry has never been read without errors. “Health” says why.')
    : empty('No apps in this registry', 'Its manifest lists none. Apps that its author adds appear at the next check.');
}

function appList({ subscription, apps, next, after, search, show }: RegistryPage, path: string): Html {
  const address = (changes: { show?: AppFilter; after?: string | null }): string => {
    const query = new URLSearchParams();
    const to = changes.show ?? show;
    if (search !== '') query.set('q', search);
    if (to !== 'all') query.set('show', to);
    if (changes.after) query.set('after', changes.after);
    return `${path}${query.size > 0 ? `?${query.toString()}` : ''}#apps`;
  };
  const hidden = subscription.apps - subscription.visible;
  const tabs: [AppFilter, string, number][] = [
    ['all', 'All', subscription.apps],
    ['visible', 'Installable', subscription.visible],
    ['hidden', 'Not installable', hidden],
  ];
  return html`<div class="tools">
      ${searchForm(`${path}#apps`, search, show === 'all' ? NOTHING : html`<input type="hidden" name="show" value="${show}" />`)}
      <nav class="tabs" id="tabs" aria-label="Show apps" data-live>
        ${tabs.map(
          ([id, label, number]) =>
            html`<a href="${address({ show: id, after: null })}" ${id === show ? html`aria-current="true"` : NOTHING}
              >${label} <span class="number">${number.toLocaleString('en-US')}</span></a
            >`,
        )}
      </nav>
    </div>
    <div id="app-list" data-live>
      ${search === '' ? NOTHING : html`<p class="muted" role="status">${found(apps.length, next !== null || after !== null, search)}</p>`}
      ${apps.length === 0 && search === '' ? html`<p class="muted">${show === 'hidden' ? 'Every app can be installed.' : 'None.'}</p>` : NOTHING}
      <ul class="rows">
        ${apps.map((app) => appRow(app, `${path}/app?key=${encodeURIComponent(app.key)}`))}
      </ul>
      ${pager(after === null ? null : address({}), next === null ? null : address({ after: next }))}
    </div>`;
}

export function found(shown: number, more: boolean, search: string): Html {
  if (shown === 0) return html`Nothing matches ${untrusted(search, 80)}.`;
  const matches = shown === 1 ? '1 app matches' : `${shown} apps match`;
  return html`${more ? 'Apps that match' : matches} ${untrusted(search, 80)}`;
}

export function pager(first: string | null, next: string | null): Html {
  if (first === null && next === null) return NOTHING;
  return html`<nav class="pager" aria-label="Pages">
    ${first === null ? NOTHING : html`<a class="button" href="${first}">First page</a>`}
    ${next === null ? NOTHING : html`<a class="button" href="${next}">Next page</a>`}
  </nav>`;
}

export function reportPage(subscription: SubscriptionView, report: Report | null, now: Date): Screen {
  const { tone, word } = stateOf(subscription);
  const body = html`${backLink(`settings/registries/${subscription.id}`, subscription.name)}
    <h1>Report</h1>
    <p class="url">${copyable(subscription.url, 'registry URL')}</p>
    <div class="state" id="state" data-live>
      <p class="state-line">${status(tone, word)} ${schedule(subscription, now)}</p>
    </div>
    <div id="report" data-live>
      ${
        report === null
          ? empty('No report yet', 'It appears here after the first check.')
          : html`<dl class="figures">
                ${figures(report).map(
                  ([name, value]) =>
                    html`<div>
                      <dt>${name}</dt>
                      <dd>${value}</dd>
                    </div>`,
                )}
              </dl>
              ${report.outcome === 'incomplete' ? notice('warn', 'The check was not completed; the rest follows soon.') : NOTHING}
              <h2 class="unseen">By symptom</h2>
              ${symptomList(report, 'everything')} ${unjudgedList(report)}`
      }
    </div>`;
  return { title: 'Report', section: 'registries', body, refreshAfter: isBusy(subscription) ? 3 : 60 };
}

function figures({ summary }: Report): [string, string][] {
  return [
    ['Errors', number(summary.errors)],
    ['Warnings', number(summary.warnings)],
    ['Apps', number(summary.apps)],
    ['Versions', number(summary.versions)],
    ['Read', size(summary.bytes)],
    ['Took', elapsedTime(summary.seconds)],
  ];
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

import { grouped } from 'appreg';
import { codeText, elapsedTime, html, type Html, NO_MARKUP, sanitized, untrusted } from 'appreg/node';
import { type PageRoute } from './mount.ts';
import { type MemberRequest, cursorIn } from './request.ts';
import { type Service } from '../context.ts';
import { requestedSubscription, registryFrame, type RegistryFrame, registryScreen } from './registry-frame.ts';
import {
  isEventType,
  type EventView,
  type EventType,
  EVENT_TYPES,
  EVENTS,
  type CheckOutcome,
  changesText,
} from '../domain/events.ts';
import { orNotFound } from '../http/problems.ts';
import { listEvents } from '../db/events.ts';
import { type Screen } from './layout.ts';
import { registryPath, pathWithQuery, cursorLinks, appPath } from './navigation.ts';
import { type Choice, select, emptyState, table, relativeTime, status } from './components.ts';
import { type Tone } from '../domain/event-definition.ts';

/** The history of a registry, and of an organization. */
export const historyRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/settings/registries/:id/history', access: 'member', handle: showHistory },
  { method: 'GET', path: '/settings/history', access: 'member', handle: showOrganizationHistory },
];

export const PAGE_SIZE = 50;

async function showHistory(request: MemberRequest, service: Service) {
  const subscription = await requestedSubscription(request, service);
  const history = await historyOf(request, service, subscription.id);
  return request.show(historyPage({ ...registryFrame(request, subscription), history }));
}

async function showOrganizationHistory(request: MemberRequest, service: Service) {
  return request.show(organizationHistoryPage(await historyOf(request, service, null)));
}

/** The requested page of events. @param subscriptionId null for all */
async function historyOf(request: MemberRequest, { db }: Service, subscriptionId: string | null): Promise<History> {
  const { organization, now, query } = request;
  const [app, after] = [query('app'), cursorIn(request)];
  // Of a registry, the checks summarize what changed.
  const defaultType = subscriptionId !== null && app === null ? 'checked' : 'all';
  const text = query('type') ?? defaultType;
  const type = isEventType(text) ? text : 'all';
  const wanted = { subscriptionId, appKey: app, type: type === 'all' ? null : type, limit: PAGE_SIZE, after };
  const page = orNotFound(await listEvents(db, organization.id, wanted), 'registry');
  return { ...page, after, type, defaultType, app, now };
}

/** Events of one registry, or of all registries of an organization. */

/** A page of events. */
export interface History {
  events: readonly EventView[];
  /** The cursors of the next page and of this one; null if there is none. */
  next: string | null;
  after: string | null;
  /** Only events of this type; `all` for all. */
  type: EventType | 'all';
  /** The type that is shown by default. */
  defaultType: EventType | 'all';
  /** Only events of this app; null for all. */
  app: string | null;
  now: Date;
}

interface HistoryPage extends RegistryFrame {
  history: History;
}

export function historyPage(view: HistoryPage): Screen {
  const { subscription, history } = view;
  const content = html`<section aria-labelledby="history-title">
    <h2 class="unseen" id="history-title">History</h2>
    ${historyList(history, registryPath(subscription.id, 'history'), 'registry')}
  </section>`;
  return registryScreen(view, 'history', content);
}

export function organizationHistoryPage(history: History): Screen {
  const body = html`<h1>History</h1>
    <p class="lead">What happened to your registries, newest first.</p>
    ${historyList(history, 'settings/history', 'organization')}`;
  return { title: 'History', section: 'history', body, refreshAfter: history.after === null ? 60 : null };
}

const TYPE_NAMES: Partial<Record<EventType, string>> = { checked: 'Checks' };

function historyList(history: History, path: string, of: 'registry' | 'organization'): Html {
  const { events, next, after, type, defaultType, app, now } = history;
  const pageAfter = (cursor: string | null): string =>
    pathWithQuery(path, { type: type === defaultType ? null : type, app, after: cursor });
  const types = EVENT_TYPES.map((value) => ({ value, label: TYPE_NAMES[value] ?? EVENTS[value].label }));
  const choices = [{ value: 'all', label: 'All events' }, ...types];
  // The first choice is the default.
  const isDefault = ({ value }: Choice): boolean => value === defaultType;
  const sorted = [...choices.filter(isDefault), ...choices.filter((choice) => !isDefault(choice))];
  return html`<form class="tools search" method="get" action="${path}" data-search="history">
      ${app === null ? NO_MARKUP : html`<input type="hidden" name="app" value="${app}" />`}
      ${select('type', 'Show', sorted, type)}
      <button class="search-button">Apply</button>
      ${app === null ? NO_MARKUP : html`<p>Only events of the app ${untrusted(app, 80)}. <a href="${path}">Show all</a></p>`}
    </form>
    <div id="history" data-live>
      ${events.length === 0 ? emptyState('No events', 'Checks and changes are listed here from now on.') : NO_MARKUP}
      ${events.length > 0 && type === 'checked' ? checkTable(events, now) : NO_MARKUP}
      ${events.length > 0 && type !== 'checked' ? eventTable(events, of, now) : NO_MARKUP}
      ${cursorLinks(after === null ? null : pageAfter(null), next === null ? null : pageAfter(next))}
    </div>`;
}

/** Events in tables: everything that happened, and checks alone. */

const OUTCOMES: Record<CheckOutcome, readonly [label: string, tone: Tone]> = {
  good: ['No errors', 'good'],
  problems: ['Problems', 'bad'],
  failing: ['Manifest unusable', 'bad'],
  unfinished: ['Not complete', 'warn'],
};

/** @param of whose events they are: those of an organization name the registry, those of an app do not link to it */
export function eventTable(events: readonly EventView[], of: 'organization' | 'registry' | 'app', now: Date): Html {
  return table({
    className: 'events',
    caption: 'Events, newest first',
    columns: ['Time', 'Event', 'What changed'],
    rows: events.map((event) => eventRow(event, of, now)),
  });
}

function eventRow(event: EventView, of: 'organization' | 'registry' | 'app', now: Date): Html {
  const { time, registry } = event;
  const { label, tone } = EVENTS[event.type];
  const message = sanitized(event.message, 500);
  const href = of === 'app' ? null : eventPath(event, of);
  return html`<tr role="row" ${href === null ? NO_MARKUP : html`class="linked"`}>
    <td role="cell" class="muted">${relativeTime(time, now)}</td>
    <td role="cell">${status(event.type === 'checked' ? OUTCOMES[event.data.outcome][1] : tone, label)}</td>
    <td role="cell">
      <span class="line">${href === null ? message : html`<a class="stretch" href="${href}">${message}</a>`}</span>
      ${event.type === 'version-refused' ? digestsOf(event.data) : NO_MARKUP}
      ${of === 'organization' ? html`<span class="line muted">${untrusted(registry.name, 80)}</span>` : NO_MARKUP}
    </td>
  </tr>`;
}

/** The page of what an event is about: an app, or the registry, unless it is this page. */
function eventPath({ registry, app }: EventView, of: 'organization' | 'registry'): string | null {
  if (app !== null) return appPath(registry.id, app);
  return of === 'organization' ? registryPath(registry.id) : null;
}

/** The digest that the version has to have, beside what is listed and served instead. */
function digestsOf(data: Extract<EventView, { type: 'version-refused' }>['data']): Html {
  const rows = [
    ['Expected', data.checksum],
    ['Listed', data.listed],
    ['Served', data.served],
  ] as const;
  return html`<dl class="digests">
    ${rows.map(([name, digest]) =>
      digest === null
        ? NO_MARKUP
        : html`<div>
            <dt>${name}</dt>
            <dd>${codeText(digest, 100)}</dd>
          </div>`,
    )}
  </dl>`;
}

/** Only for events of the type `checked`. */
function checkTable(events: readonly EventView[], now: Date): Html {
  return table({
    className: 'checks',
    caption: 'Checks, newest first',
    columns: [
      'Time',
      'Outcome',
      { label: 'Took', kind: 'number' },
      { label: 'Errors', kind: 'number' },
      { label: 'Warnings', kind: 'number' },
      'What changed',
    ],
    rows: events.map((event) => (event.type === 'checked' ? checkRow(event.time, event.data, now) : NO_MARKUP)),
  });
}

function checkRow(time: string, data: Extract<EventView, { type: 'checked' }>['data'], now: Date): Html {
  const [label, tone] = OUTCOMES[data.outcome];
  const changes = changesText(data.changes);
  return html`<tr role="row">
    <td role="cell" class="muted">${relativeTime(time, now)}</td>
    <td role="cell">${status(tone, label)}</td>
    <td role="cell" class="number-cell">${elapsedTime(data.seconds)}</td>
    <td role="cell" class="number-cell">
      ${grouped(data.errors)} <span class="unit">${data.errors === 1 ? 'error' : 'errors'}</span>
    </td>
    <td role="cell" class="number-cell">
      ${grouped(data.warnings)} <span class="unit">${data.warnings === 1 ? 'warning' : 'warnings'}</span>
    </td>
    <td role="cell">${changes === '' ? html`<span class="muted">Nothing</span>` : changes}</td>
  </tr>`;
}

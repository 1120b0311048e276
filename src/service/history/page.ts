import { EVENT_TYPES, type EventType, type EventView } from './events.ts';
import { pathWithQuery, registryPath } from '../pages/paths.ts';
import { type Choice, emptyState, select } from '../pages/components.ts';
import { checkTable, eventLabel, eventTable } from './event-list.ts';
import { type Html, html, NOTHING, untrusted } from '../../html/html.ts';
import type { Screen } from '../pages/layout.ts';
import { cursorLinks } from '../pages/navigation.ts';
import { type RegistryFrame, registryScreen } from '../registries/frame.ts';

/** What happened: to one registry, or to all registries of an organization. */

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
  const types = EVENT_TYPES.map((value) => ({ value, label: TYPE_NAMES[value] ?? eventLabel(value) }));
  const choices = [{ value: 'all', label: 'All events' }, ...types];
  // The first choice is the default.
  const isDefault = ({ value }: Choice): boolean => value === defaultType;
  const sorted = [...choices.filter(isDefault), ...choices.filter((choice) => !isDefault(choice))];
  return html`<form class="tools search" method="get" action="${path}" data-search="history">
      ${app === null ? NOTHING : html`<input type="hidden" name="app" value="${app}" />`}
      ${select('type', 'Show', sorted, type)}
      <button class="search-button">Apply</button>
      ${app === null ? NOTHING : html`<p>Only events of the app ${untrusted(app, 80)}. <a href="${path}">Show all</a></p>`}
    </form>
    <div id="history" data-live>
      ${events.length === 0 ? emptyState('No events', 'Checks and changes are listed here from now on.') : NOTHING}
      ${events.length > 0 && type === 'checked' ? checkTable(events, now) : NOTHING}
      ${events.length > 0 && type !== 'checked' ? eventTable(events, of, now) : NOTHING}
      ${cursorLinks(after === null ? null : pageAfter(null), next === null ? null : pageAfter(next))}
    </div>`;
}

import { counted } from '../../core/text/text.ts';
import type { Catalogue } from './catalogue-store.ts';
import type { Choice } from '../pages/components.ts';
import { type AppListQuery, appList } from './table.ts';
import { emptyState } from '../pages/components.ts';
import { type Html, html } from '../pages/html.ts';
import type { Screen } from '../pages/layout.ts';
import type { Scope } from '../tokens/scopes.ts';
import { subscribeLink } from '../registries/subscribe-page.ts';

/** The apps of all registries. */

export interface AppsPage {
  catalogue: Catalogue;
  query: AppListQuery;
  /** The organization's registries, by id. */
  registries: readonly Choice[];
  scope: Scope;
  now: Date;
}

export function appsPage({ catalogue, query, registries, scope, now }: AppsPage): Screen {
  const isBare = catalogue.totals.all === 0 && query.search === '' && query.registry === null;
  const body = html`<div class="head">
      <div class="head-text">
        <h1>Apps</h1>
        <p class="lead" id="apps-total" data-live>${totalText(catalogue, query, registries.length)}</p>
      </div>
    </div>
    <div id="catalogue" data-shape="${isBare ? 'bare' : 'list'}">
      ${isBare ? noApps(registries.length, scope) : appList({ catalogue, query, path: 'apps', defaultFilter: 'visible', registries, now })}
    </div>`;
  return { title: 'Apps', section: 'apps', body, refreshAfter: 60 };
}

function totalText({ totals }: Catalogue, { search, registry }: AppListQuery, registries: number): string {
  if (search !== '' || registry !== null || totals.all === 0)
    return 'What your organization can install from its registries.';
  return `${counted(totals.visible, 'app')} can be installed, from ${counted(registries, 'registry', 'registries')}.`;
}

function noApps(registries: number, scope: Scope): Html {
  return registries === 0
    ? emptyState('No apps yet', 'Apps come from registries. Subscribe to one by its URL.', subscribeLink(scope))
    : emptyState(
        'No apps yet',
        'Your registries list none, or they have not been read yet.',
        html`<a class="button" href="settings/registries">App Registries</a>`,
      );
}

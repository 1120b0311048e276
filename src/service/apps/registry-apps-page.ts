import type { Catalogue } from './catalogue-store.ts';
import type { SubscriptionView } from '../views.ts';
import { type AppListQuery, appList } from './table.ts';
import { emptyState } from '../pages/components.ts';
import { type Html, html } from '../pages/html.ts';
import type { Screen } from '../pages/layout.ts';
import { type RegistryFrame, registryScreen } from '../registries/frame.ts';
import { registryPath } from '../registries/path.ts';
import { isBusy } from '../pages/states.ts';

/** The apps of a registry. */

export interface RegistryAppsPage extends RegistryFrame {
  catalogue: Catalogue;
  query: AppListQuery;
}

export function registryAppsPage(view: RegistryAppsPage): Screen {
  const { subscription, catalogue, query, now } = view;
  const isBare = subscription.apps === 0;
  const content = html`<section id="apps" aria-labelledby="apps-title" data-shape="${isBare ? 'bare' : 'list'}">
    <h2 class="unseen" id="apps-title">Apps</h2>
    ${
      isBare
        ? noApps(subscription)
        : appList({
            catalogue,
            query,
            path: registryPath(subscription.id),
            defaultFilter: 'all',
            registries: null,
            now,
          })
    }
  </section>`;
  return registryScreen(view, 'apps', content);
}

function noApps(subscription: SubscriptionView): Html {
  if (isBusy(subscription))
    return emptyState(
      'Reading the registry',
      'The manifest is being read. Apps appear here as soon as they are known.',
    );
  return subscription.goodAt === null
    ? emptyState('No apps known', 'The registry could not be read yet. See “Health” for the reasons.')
    : emptyState('No apps in this registry', 'Its manifest lists no apps. New apps appear after the next check.');
}

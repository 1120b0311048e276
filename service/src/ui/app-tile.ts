import { counted } from 'appreg';
import { html, type Html, NO_MARKUP, sanitized, iconTile as appTile, type TileApp } from 'appreg/node';
import { type AppView } from '../domain/apps.ts';
import { chip } from './components.ts';

/** Status of an app: it can be installed, or the reason why not. */

/** The status of an app that cannot be installed, or not yet. */
export function installability({ visible }: AppView): Html {
  if (visible === true) return chip('Installable', 'good');
  return visible === null ? chip('Being verified', 'busy') : chip('Not installable', 'bad');
}

export function versionCount({ offered, versions }: AppView): string {
  if (versions === 0) return 'no versions';
  return offered === versions
    ? counted(versions, 'version')
    : `${offered.toLocaleString('en-US')} of ${counted(versions, 'version')} offered`;
}

/** The reasons why it cannot be installed; limited to the first reasons. */
export function reasons({ visible, reasons: list, failingSince }: AppView): Html {
  if (visible !== false && failingSince === null) return NO_MARKUP;
  const shown = list.slice(0, 3);
  const omitted = list.length - shown.length;
  return html`<ul class="reasons">
    ${shown.map(({ message }) => html`<li>${sanitized(message, 300)}</li>`)}
    ${omitted > 0 ? html`<li>… and ${counted(omitted, 'more reason')}</li>` : NO_MARKUP}
    ${failingSince !== null && list.length === 0 ? html`<li>Its metadata file cannot be used at present; the last known state remains valid.</li>` : NO_MARKUP}
  </ul>`;
}

/** An app as lists show it. */
interface ListedApp extends Omit<TileApp, 'icon'> {
  /** The digest of its icon; null for none. */
  icon: string | null;
  iconFragment?: string;
}

/** An app's icon, which the service serves, on its color. */
export function tile({ name, key, color, icon, iconFragment = '' }: ListedApp, large = false): Html {
  return appTile({ name, key, color, icon: icon === null ? null : `icons/${icon}${iconFragment}` }, large);
}

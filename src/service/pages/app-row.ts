import { count } from '../../report/words.ts';
import type { AppView } from '../views.ts';
import { code, legible, untrusted } from './untrusted-text.ts';
import { type Html, html, NOTHING } from './html.ts';
import { chip } from './components.ts';
import { tile } from './tile.ts';

/** An app in a list. @param from the registry of the app, if the list covers several */
export function appRow(app: AppView, href: string, from: Html = NOTHING): Html {
  return html`<li class="row app">
    ${tile(app)}
    <div class="row-main">
      <h3><a class="stretch" href="${href}">${untrusted(app.name === '' ? app.key : app.name, 120)}</a></h3>
      ${app.description === '' ? NOTHING : html`<p class="description">${untrusted(app.description, 300)}</p>`} ${from}
      ${reasons(app)}
    </div>
    <div class="row-side">
      ${app.latest === null ? installability(app) : html`<span class="version">${code(app.latest, 60)}</span>`}
      <p class="muted">${versionCount(app)}</p>
    </div>
  </li>`;
}

/** The status of an app that cannot be installed, or not yet. */
export function installability({ visible }: AppView): Html {
  if (visible === true) return chip('Installable', 'good');
  return visible === null ? chip('Being verified', 'busy') : chip('Not installable', 'bad');
}

export function versionCount({ offered, versions }: AppView): string {
  if (versions === 0) return 'no versions';
  return offered === versions
    ? count(versions, 'version')
    : `${offered.toLocaleString('en-US')} of ${count(versions, 'version')} offered`;
}

/** Why it cannot be installed; limited to the first reasons. */
export function reasons({ visible, reasons: list, failingSince }: AppView): Html {
  if (visible !== false && failingSince === null) return NOTHING;
  const shown = list.slice(0, 3);
  const omitted = list.length - shown.length;
  return html`<ul class="reasons">
    ${shown.map(({ message }) => html`<li>${legible(message, 300)}</li>`)}
    ${omitted > 0 ? html`<li>… and ${count(omitted, 'more reason')}</li>` : NOTHING}
    ${failingSince !== null && list.length === 0 ? html`<li>Its metadata file cannot be used at present; what was known before stays in force.</li>` : NOTHING}
  </ul>`;
}

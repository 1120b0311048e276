import { isLight } from '../../core/text/color.ts';
import { counted } from '../../core/text/text.ts';
import type { AppView } from './schema.ts';
import { sanitized, initial, type Html, html, NOTHING } from '../pages/html.ts';
import { chip } from '../pages/components.ts';

/** Whether an app can be installed, and why not. */

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

/** Why it cannot be installed; limited to the first reasons. */
export function reasons({ visible, reasons: list, failingSince }: AppView): Html {
  if (visible !== false && failingSince === null) return NOTHING;
  const shown = list.slice(0, 3);
  const omitted = list.length - shown.length;
  return html`<ul class="reasons">
    ${shown.map(({ message }) => html`<li>${sanitized(message, 300)}</li>`)}
    ${omitted > 0 ? html`<li>… and ${counted(omitted, 'more reason')}</li>` : NOTHING}
    ${failingSince !== null && list.length === 0 ? html`<li>Its metadata file cannot be used at present; the last known state remains valid.</li>` : NOTHING}
  </ul>`;
}

/** What a tile shows of an app. */
interface TileApp {
  name: string;
  key: string;
  color: string | null;
  icon: string | null;
  iconFragment?: string;
}

const COLOR = /^#[0-9a-f]{6}$/i;

/** An app's icon on its color, or the first letter of its name. Decorative: it adds no information to the name. */
export function tile(app: TileApp, large = false): Html {
  const color = app.color !== null && COLOR.test(app.color) ? app.color : null;
  const front = app.icon === null ? letter(app, color) : icon(app.icon + (app.iconFragment ?? ''), large ? 36 : 24);
  return html`<span class="tile${large ? ' large' : ''}" aria-hidden="true">${background(color)}${front}</span>`;
}

/** The color is an attribute of a shape: the page's Content-Security-Policy forbids inline styles. */
function background(color: string | null): Html {
  if (color === null) return NOTHING;
  return html`<svg class="back" viewBox="0 0 1 1" preserveAspectRatio="none">
    <rect width="1" height="1" fill="${color}" />
  </svg>`;
}

function letter({ name, key }: TileApp, color: string | null): Html {
  const text = initial(name) === '?' ? initial(key) : initial(name);
  return html`<span class="letter ${letterTone(color)}">${text}</span>`;
}

function letterTone(background: string | null): 'plain' | 'dark' | 'light' {
  if (background === null) return 'plain';
  return isLight(background) ? 'dark' : 'light';
}

function icon(path: string, size: number): Html {
  return html`<img src="icons/${path}" alt="" width="${size}" height="${size}" loading="lazy" decoding="async" />`;
}

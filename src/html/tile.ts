import { isColor, isLight } from '../core/text/color.ts';
import { type Html, html, initial, NO_MARKUP } from './html.ts';

/** An app that is displayed as a tile. */
export interface TileApp {
  name: string;
  key: string;
  color: string | null;
  /** The address of its icon; null for none. */
  icon: string | null;
}

/** An app's icon on its color, or the first letter of its name. Decorative: it adds no information to the name. */
export function iconTile(app: TileApp, large = false): Html {
  const color = app.color !== null && isColor(app.color) ? app.color : null;
  const front = app.icon === null ? letter(app, color) : icon(app.icon, large ? 36 : 24);
  return html`<span class="tile${large ? ' large' : ''}" aria-hidden="true">${background(color)}${front}</span>`;
}

/** The color is an attribute of a shape: the page's Content-Security-Policy forbids inline styles. */
function background(color: string | null): Html {
  if (color === null) return NO_MARKUP;
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
  return html`<img src="${path}" alt="" width="${size}" height="${size}" loading="lazy" decoding="async" />`;
}

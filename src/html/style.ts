import { readFileSync } from 'node:fs';

/** The style sheets that all pages share: colors in light and dark mode, texts, the icons of apps. */
export type SharedStyle = 'colors' | 'base' | 'tile';

/** @returns the text of the style sheet */
export function sharedStyle(name: SharedStyle): string {
  return readFileSync(new URL(`./assets/css/${name}.css`, import.meta.url), 'utf8');
}

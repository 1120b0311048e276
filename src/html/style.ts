import { readFileSync } from 'node:fs';

/** What all pages share: colors in light and dark mode, texts, the icons of apps, lists, chips, buttons. */
const FILES = ['colors', 'base', 'tile', 'lists', 'chips', 'buttons', 'about'];

/** @returns the text of a style sheet, to which pages add rules of their own */
export function sharedStyle(): string {
  return FILES.map((name) => readFileSync(new URL(`./assets/css/${name}.css`, import.meta.url), 'utf8')).join('\n');
}

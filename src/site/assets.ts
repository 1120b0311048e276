import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { sharedStyle } from '../html/style.ts';
import { SCRIPT, SITE_ICON, STYLE } from './paths.ts';

/** The files that all pages of a site load. */

const READ = {
  [STYLE]: () => `${sharedStyle()}\n${read('site.css')}`,
  [SCRIPT]: () => read('site.js'),
  [SITE_ICON]: () => read('site.svg'),
};
type AssetPath = keyof typeof READ;
export const ASSET_PATHS: readonly AssetPath[] = [STYLE, SCRIPT, SITE_ICON];

const loaded = new Map<AssetPath, { text: string; version: string }>();

export function assetText(path: AssetPath): string {
  return load(path).text;
}

/** Changes with the content, so that browsers do not use an older copy. */
export function assetVersion(path: AssetPath): string {
  return load(path).version;
}

function load(path: AssetPath): { text: string; version: string } {
  const known = loaded.get(path);
  if (known !== undefined) return known;
  const text = READ[path]();
  const asset = { text, version: createHash('sha256').update(text).digest('hex').slice(0, 12) };
  loaded.set(path, asset);
  return asset;
}

function read(name: string): string {
  return readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');
}

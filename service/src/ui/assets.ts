import { sharedStyle } from 'appreg/node';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Static files shared by all pages: read once, with a content hash in the URL for caching. */

interface Asset {
  type: string;
  bytes: Buffer;
  /** The hash of the content. */
  tag: string;
}

/** The style sheet is one file for browsers; later rules override earlier ones. */
const STYLE_SHEETS = [
  'layout',
  'forms',
  'cards',
  'states',
  'tables',
  'navigation',
  'search',
  'findings',
  'details',
  'responsive',
];
const ASSETS = {
  'style.css': {
    type: 'text/css; charset=utf-8',
    read: () => [sharedStyle(), ...STYLE_SHEETS.map((name) => readAssetFile(`css/${name}.css`))].join('\n'),
  },
  'script.js': { type: 'text/javascript; charset=utf-8', read: () => readAssetFile('script.js') },
  'icon.svg': { type: 'image/svg+xml', read: () => readAssetFile('icon.svg') },
};
type AssetName = keyof typeof ASSETS;

const loaded = new Map<AssetName, Asset>();

/** @returns null for an unknown name */
export function assetNamed(name: string): Asset | null {
  return isAssetName(name) ? loadAsset(name) : null;
}

/** The URL of the current version of an asset. */
export function asset(name: AssetName): string {
  return `assets/${name}?v=${loadAsset(name).tag}`;
}

function isAssetName(name: string): name is AssetName {
  return Object.hasOwn(ASSETS, name);
}

function loadAsset(name: AssetName): Asset {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const { type, read } = ASSETS[name];
  const bytes = Buffer.from(read());
  const tag = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const asset = { type, bytes, tag };
  loaded.set(name, asset);
  return asset;
}

function readAssetFile(path: string): string {
  return readFileSync(new URL(`./assets/${path}`, import.meta.url), 'utf8');
}

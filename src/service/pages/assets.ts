import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Static files shared by all pages: read once, with a content hash in the URL for caching. */

export interface Asset {
  type: string;
  bytes: Buffer;
  tag: string;
}

const TYPES = {
  'style.css': 'text/css; charset=utf-8',
  'script.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;
export type AssetName = keyof typeof TYPES;

const assets = new Map<string, Asset>();

export function assetNamed(name: string): Asset | null {
  const kept = assets.get(name);
  if (kept !== undefined) return kept;
  if (!Object.hasOwn(TYPES, name)) return null;
  const bytes = readFileSync(fileURLToPath(new URL(`./assets/${name}`, import.meta.url)));
  const tag = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const read = { type: TYPES[name as AssetName], bytes, tag };
  assets.set(name, read);
  return read;
}

/** The URL of the current version of an asset. */
export function asset(name: AssetName): string {
  return `assets/${name}?v=${assetNamed(name)!.tag}`;
}

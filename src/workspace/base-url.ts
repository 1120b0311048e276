import { join } from 'node:path';
import { AppregError } from '../core/errors/error.ts';
import { type AppFacts, isMissing, type OtherBase } from '../core/facts/facts.ts';
import type { JsonObject, JsonValue } from '../core/json/json.ts';
import { manifestAppsIn, metadataUrlOf } from '../core/registry/manifest.ts';
import { baseUrlMismatched } from '../core/rules/documents/base-url-mismatched.ts';
import { readDocumentFile } from '../observe/workspace/documents.ts';
import { openPlaces, otherBase, possiblePlaces } from '../observe/workspace/places.ts';
import { readAll } from '../store/pool.ts';
import type { Store } from '../store/store.ts';

/**
 * Refuses a configured base URL that does not fit the manifest, where addresses are written or published. `lint` reports
 * it as a finding.
 */

/** URLs of a manifest in a store that are looked at: each file is a request. */
const MAX_STORED = 5;

/**
 * Checks the folder of a workspace; a folder without a usable manifest is not refused here.
 * @throws AppregError `base-url-mismatched` (exit 2)
 */
export function refuseOtherBaseIn(
  root: string,
  { baseUrl, manifest = 'registry.json' }: { baseUrl?: string; manifest?: string },
): void {
  const content = baseUrl === undefined ? 'missing' : readDocumentFile(join(root, manifest));
  const apps = typeof content === 'string' ? null : manifestAppsIn(content);
  if (baseUrl !== undefined && apps !== null) refuse(openPlaces({ root, baseUrl }, metadataUrls(apps)).other);
}

/** The same for entries of a manifest that was already read. */
export function refuseOtherBaseOf(
  workspace: { root: string; baseUrl: string | null },
  entries: Readonly<Record<string, JsonValue>>,
): void {
  refuse(openPlaces(workspace, metadataUrls(entries)).other);
}

/** The same for a state of the registry that was read from its store. */
export function refuseOtherBaseOfState({ apps }: { apps: Iterable<AppFacts> }, baseUrl: string): void {
  const files = new Set<string>();
  const urls: string[] = [];
  for (const { metadata } of apps) {
    if (metadata.url === null) continue;
    urls.push(metadata.url);
    if (metadata.file !== null && !isMissing(metadata.content)) files.add(metadata.file);
  }
  refuse(otherBase(urls, baseUrl, (path) => files.has(path)));
}

/**
 * The same for the manifest of a store.
 * @param pathOf the path in the store of a URL below the base URL
 */
export async function refuseOtherBaseInStore(
  { store, base, pathOf }: { store: Store; base: string; pathOf(url: string): string | null },
  apps: JsonObject,
): Promise<void> {
  const urls: string[] = [];
  for (const key of Object.keys(apps)) {
    const url = metadataUrlOf(apps[key]);
    // No file is read for a base URL that fits.
    if (url !== null && pathOf(url) !== null) return;
    if (url !== null && urls.length < MAX_STORED) urls.push(url);
  }
  const paths = new Set(urls.flatMap((url) => possiblePlaces(url).map(({ path }) => path)));
  if (paths.size === 0) return;
  const stored = await readAll(store, [...paths], { mayBeAbsent: true });
  refuse(otherBase(urls, base, (path) => stored.has(path)));
}

function metadataUrls(apps: Readonly<Record<string, JsonValue>>): string[] {
  return Object.values(apps).flatMap((entry) => metadataUrlOf(entry) ?? []);
}

/** An app with another base URL than the others is refused when it is published. */
function refuse(other: OtherBase | null): void {
  const problem = other === null || other.isPart ? null : baseUrlMismatched.check({ otherBase: other });
  for (const { message, advice } of [problem ?? []].flat())
    throw new AppregError('base-url-mismatched', message, advice, { effect: 'none' });
}

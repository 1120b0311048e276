import { isSafeKey } from '../core/registry/app-key.ts';
import type { RegistryDocuments } from '../observe/workspace/tree-snapshot.ts';
import { appPage, listPage } from './pages.ts';
import { ASSET_PATHS, assetText } from './layout.ts';
import { badgeText, appFeed, entriesOf, type Entry, newest, registryFeed } from './feed.ts';
import {
  type AttestationOf,
  catalogueOf,
  type HiddenApp,
  inListOrder,
  type ListedApp,
  listedApp,
  type UnreadAbout,
} from './catalogue.ts';
import { type OutputOptions, type SiteChanges, type SiteFile, writeSite } from './output.ts';
import { appPaths, LIST_PAGE, REGISTRY_FEED, type SiteRegistry } from './paths.ts';

/** A catalogue of a registry as static files: a list, and a page, a feed and a badge for each app. */

export interface SiteResult extends SiteChanges {
  /** The number of apps that it lists. */
  apps: number;
  hidden: readonly HiddenApp[];
  unread: readonly UnreadAbout[];
}

interface SiteOptions extends Omit<OutputOptions, 'onFile'> {
  /** ISO 8601; a signed URL may have expired. */
  now: string;
  onProgress?(done: number, known: number): void;
}

/**
 * Generates the site of a registry. The same state of the registry gives the same bytes.
 * @throws AppregError as `writeSite` does
 */
export async function generateSite(
  folder: string,
  site: SiteRegistry,
  registry: RegistryDocuments,
  attestationOf: AttestationOf,
  { now, onProgress, ...options }: SiteOptions,
): Promise<SiteResult> {
  const listed: ListedApp[] = [];
  const hidden: HiddenApp[] = [];
  const unread: UnreadAbout[] = [];
  const keys = Object.keys(registry.entries);
  const changes = await writeSite(folder, possiblePaths(keys), filesOf(), {
    ...options,
    onFile: () => onProgress?.(listed.length + hidden.length, keys.length),
  });
  return { ...changes, apps: listed.length, hidden, unread };

  /** The list comes last, so that it never links to a page that does not exist yet. */
  async function* filesOf(): AsyncIterable<SiteFile> {
    let entries: Entry[] = [];
    for (const path of ASSET_PATHS) yield { path, content: assetText(path) };
    for await (const one of catalogueOf(registry, attestationOf, now)) {
      if ('hidden' in one) {
        hidden.push(one.hidden);
        continue;
      }
      const { app } = one;
      if (one.unread !== null) unread.push(one.unread);
      yield { path: app.paths.page, content: appPage(site, app) };
      yield { path: app.paths.badge, content: badgeText(app) };
      const feed = appFeed(site, app);
      if (feed !== null) yield { path: app.paths.feed, content: feed };
      listed.push(listedApp(app));
      entries = newest([...entries, ...entriesOf(app)]);
    }
    const feed = registryFeed(site, entries);
    if (feed !== null) yield { path: REGISTRY_FEED, content: feed };
    const apps = inListOrder(listed);
    yield { path: LIST_PAGE, content: () => listPage(site, apps, feed !== null) };
  }
}

/** The files that the site may have; an app without dates has no feed. */
function possiblePaths(keys: readonly string[]): string[] {
  const ofApps = keys.filter(isSafeKey).flatMap((key) => Object.values(appPaths(key)));
  return [...ASSET_PATHS, ...ofApps, REGISTRY_FEED, LIST_PAGE];
}

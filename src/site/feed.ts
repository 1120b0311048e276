import { compareText } from '../core/text/order.ts';
import { printable, redact, shorten } from '../core/text/text.ts';
import { retirementText } from '../html/about.ts';
import { html as xml, type Html, NO_MARKUP, sanitized } from '../html/html.ts';
import { notesMarkup } from '../html/notes.ts';
import type { CatalogueApp, CatalogueVersion } from './catalogue.ts';
import { appPaths, LIST_PAGE, REGISTRY_FEED, type SiteRegistry } from './paths.ts';

/**
 * Atom feeds (RFC 4287). An entry is a version whose author says when it was published; a version without a date has no
 * entry, since a feed reader would show it at a wrong time. The ids are made of the URL of the manifest, which is stable
 * since subscribers have it; so the entry of a version has the same id in both feeds.
 */

/** Feed readers keep what they have seen. */
const MOST_ENTRIES = 50;

/** A version with a date. */
export interface Entry {
  app: Pick<CatalogueApp, 'key' | 'name' | 'description'>;
  version: CatalogueVersion;
  published: string;
  /** The day of its retirement, if that is later. */
  updated: string;
  /** The same, in milliseconds since 1970. */
  time: number;
}

/** The feed of all apps; null if no version has a date. @param entries the newest of all apps */
export function registryFeed(site: SiteRegistry, entries: readonly Entry[]): string | null {
  return feed(site, entries, { id: `${site.url}#feed`, title: site.title, path: REGISTRY_FEED, page: LIST_PAGE });
}

/** The feed of an app; null if no version has a date. */
export function appFeed(site: SiteRegistry, app: CatalogueApp): string | null {
  return feed(site, newest(entriesOf(app)), {
    id: `${site.url}#feed/${app.key}`,
    title: app.name,
    path: app.paths.feed,
    page: app.paths.page,
  });
}

/** The newest entries that a feed has, newest first. Those of an app with the same time stay in their order. */
export function newest(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((a, b) => b.time - a.time || compareText(a.app.key, b.app.key)).slice(0, MOST_ENTRIES);
}

export function hasFeed({ versions }: CatalogueApp): boolean {
  return versions.some(({ published }) => published !== null);
}

export function entriesOf({ key, name, description, versions }: CatalogueApp): Entry[] {
  const app = { key, name, description };
  return versions.flatMap((version) => {
    const { published, retired } = version;
    if (published === null) return [];
    const since = retired?.since === null || retired === null ? published : `${retired.since}T00:00:00Z`;
    const updated = Date.parse(since) > Date.parse(published) ? since : published;
    return [{ app, version, published, updated, time: Date.parse(updated) }];
  });
}

interface FeedAbout {
  id: string;
  title: string;
  /** Of the feed. */
  path: string;
  /** Of the page that it belongs to. */
  page: string;
}

function feed(site: SiteRegistry, entries: readonly Entry[], about: FeedAbout): string | null {
  const [first] = entries;
  if (first === undefined) return null;
  const { path } = about;
  const lines: Html[] = [
    xml`<id>${sanitized(about.id, 2000)}</id>`,
    xml`<title>${sanitized(about.title)}</title>`,
    xml`<updated>${first.updated}</updated>`,
    xml`<author><name>${sanitized(site.title)}</name></author>`,
    site.base === null ? NO_MARKUP : xml`<link rel="self" type="application/atom+xml" href="${site.base}${path}"/>`,
    xml`<link rel="alternate" type="text/html" href="${linkFrom(site, path, about.page)}"/>`,
    ...entries.map((entry) => entryXml(site, path, entry)),
  ];
  const text = lines.map(String).filter((line) => line !== '');
  // Characters that XML 1.0 does not allow, and that the escapes of texts have left.
  const allowed = text.join('\n').replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
  return `<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n${allowed}\n</feed>\n`;
}

function entryXml(site: SiteRegistry, from: string, entry: Entry): Html {
  const { app, version, published, updated } = entry;
  const { retired } = version;
  const title = `${sanitized(app.name, 150)} ${sanitized(version.version, 60)}${retired === null ? '' : ` (retired: ${retired.reason})`}`;
  const content = `${retired === null ? '' : String(xml`<p>${retirementText(retired)}</p>`)}${version.notes === null ? '' : String(notesMarkup(version.notes))}`;
  return xml`<entry>
<id>${sanitized(entryId(site, entry), 2000)}</id>
<title>${title}</title>
<published>${published}</published>
<updated>${updated}</updated>
<link rel="alternate" type="text/html" href="${linkFrom(site, from, appPaths(app.key).page)}"/>
<content type="html">${content === '' ? sanitized(app.description, 1000) : content}</content>
</entry>`;
}

function entryId({ url }: SiteRegistry, { app, version }: Entry): string {
  return `${url}#${app.key}@${version.version}`;
}

/** Absolute if the address of the site is known. */
function linkFrom({ base }: SiteRegistry, from: string, to: string): string {
  if (base !== null) return base + to;
  return from.includes('/') ? `../${to}` : to;
}

/** The badge of an app, in the schema of shields.io endpoints (https://shields.io/badges/endpoint-badge). */
export function badgeText({ name, latest: { version, retired } }: CatalogueApp): string {
  const badge = {
    schemaVersion: 1,
    label: printable(shorten(redact(name), 60)),
    message: retired === null ? `v${version}` : `v${version} retired`,
    color: retired === null ? 'blue' : COLORS[retired.reason],
  };
  return `${JSON.stringify(badge)}\n`;
}

const COLORS = {
  security: 'red',
  broken: 'red',
  legal: 'orange',
  unmaintained: 'lightgrey',
  superseded: 'lightgrey',
} as const;

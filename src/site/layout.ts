import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseUrl } from '../core/url/url.ts';
import { redact, shellWord } from '../core/text/text.ts';
import { type Html, html, NO_MARKUP, sanitized, untrusted, copyable, copyButton, sharedStyle } from '../html/html.ts';
import { LIST_PAGE, referenceTo, SCRIPT, SITE_ICON, STYLE, type SiteRegistry } from './paths.ts';

/** Common parts of all pages of a site: head, header, landmarks, and the addresses of other files. */

/** A page, and how it refers to other files of the site. */
export interface Frame {
  site: SiteRegistry;
  /** Of the page. */
  path: string;
}

interface SitePage {
  title: string;
  description: string;
  /** The paths of its feeds, with their titles. */
  feeds: readonly { path: string; title: string }[];
  images: readonly string[];
  body: Html;
}

/** A reference from a page to another file of the site. */
export function toFile({ path }: Frame, target: string): string {
  return path.includes('/') ? `../${target}` : target;
}

/** A complete document. */
export function layout(frame: Frame, { title, description, feeds, images, body }: SitePage): string {
  const { site } = frame;
  const isList = frame.path === LIST_PAGE;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${contentPolicy(images)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${isList ? sanitized(title, 100) : `${sanitized(title, 100)} · ${sanitized(site.title, 60)}`}</title>
        <meta name="description" content="${sanitized(description, 300)}" />
        <link rel="icon" href="${asset(frame, SITE_ICON)}" type="image/svg+xml" />
        <link rel="stylesheet" href="${asset(frame, STYLE)}" />
        ${feeds.map((feed) => html`<link rel="alternate" type="application/atom+xml" href="${toFile(frame, feed.path)}" title="${sanitized(feed.title, 100)}" />`)}
        <script src="${asset(frame, SCRIPT)}" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header class="top">
          <a class="brand" href="${toFile(frame, LIST_PAGE)}" ${isList ? html`aria-current="page"` : NO_MARKUP}
            >${LOGO}<span>${untrusted(site.title, 60)}</span></a
          >
        </header>
        <main id="main" tabindex="-1" class="shell">${body}</main>
        <footer class="foot">
          <p>
            The texts on this page are those of the authors. Digests and versions are those that the registry lists.
          </p>
        </footer>
      </body>
    </html>`;
  return `${String(page)}\n`;
}

function asset(frame: Frame, path: typeof STYLE | typeof SCRIPT | typeof SITE_ICON): string {
  return `${toFile(frame, path)}?v=${assetVersion(path)}`;
}

/** More hosts of images than this are not listed one by one. */
const MOST_IMAGE_HOSTS = 30;

/** Only files of the site run or load, and images of the hosts that the registry names. */
function contentPolicy(images: readonly string[]): string {
  const hosts = new Set(images.flatMap((image) => parseUrl(image)?.origin ?? []));
  const sources = hosts.size > MOST_IMAGE_HOSTS ? ['https:'] : [...hosts].sort();
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self'", ...sources].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** An origin that can be a source of a policy: no other character has a meaning there. */
const SOURCE = /^https:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/;

/**
 * The address of an app's icon: its own URL, and relative to the page if the site has the same origin. Icons are not
 * copied: an SVG that others wrote could run code at the address of the site if it were opened by itself.
 * @returns null for a URL that browsers would not load, or that has credentials
 */
export function iconReference({ site, path }: Frame, iconUrl: string | null): string | null {
  const url = iconUrl === null ? null : parseUrl(iconUrl);
  if (url === null || redact(url.href) !== url.href) return null;
  const from = site.base === null ? null : parseUrl(site.base + path);
  if (from?.origin === url.origin) return referenceTo(url, from);
  return SOURCE.test(url.origin) ? url.href : null;
}

/** A calendar day that the author named. */
export function day(iso: string): Html {
  return html`<time datetime="${iso}">${sanitized(iso.slice(0, 10), 10)}</time>`;
}

const LOGO = html`<svg class="mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
  <rect x="1" y="1" width="8" height="8" rx="2.2" fill="currentColor" />
  <rect x="11" y="1" width="8" height="8" rx="2.2" fill="currentColor" opacity=".35" />
  <rect x="1" y="11" width="8" height="8" rx="2.2" fill="currentColor" opacity=".35" />
  <rect x="11" y="11" width="8" height="8" rx="4" class="dot" />
</svg>`;

// The files that all pages of a site load.

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
function assetVersion(path: AssetPath): string {
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

/** Describes the subscription of an organization: in the settings of the service, or on the command line. */
export function subscribeSection({ url, title }: SiteRegistry): Html {
  const words = [
    'appreg subscribe',
    shellWord(sanitized(url, 2000)),
    '--service <url-of-the-service>',
    `--name ${shellWord(sanitized(title, 60))}`,
  ];
  return html`<section aria-labelledby="subscribe-title">
    <h2 id="subscribe-title">Subscribe</h2>
    <div class="panel">
      <p>
        An organization that subscribes to this registry can install its apps, and gets new versions within an hour.
      </p>
      <ol class="steps">
        <li>In the service, open Settings, then App Registries, and choose Subscribe to Registry.</li>
        <li>
          <span>Enter the URL of the registry, and a name for it:</span>
          ${copyable(url, 'URL of the registry')}
        </li>
        <li>Choose Subscribe.</li>
      </ol>
      <details>
        <summary>With the command line</summary>
        <p class="command">
          <code dir="ltr">${words.map((word) => html`<span>${word}</span> `)}</code
          >${copyButton(words.join(' '), 'command')}
        </p>
      </details>
    </div>
  </section>`;
}

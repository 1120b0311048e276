import { html, type Html, NO_MARKUP, sanitized, untrusted } from 'appreg/node';
import { type OrganizationView } from '../domain/organizations.ts';
import { type Scope, allows } from '../domain/scopes.ts';
import { asset } from './assets.ts';

/** The layout of all pages: head, navigation, landmarks. */

export interface Frame {
  /** The signed-in organization; null before signing in. */
  organization: OrganizationView | null;
  /** The scope of the session. */
  scope: Scope;
  now: Date;
  /** Path of the service's public URL, with slashes at both ends: the base of all links. */
  base: string;
  /** The URL of this page, relative to the base. */
  here: string;
}

/** The pages of the settings, by the entry of their navigation, which is shown to sessions with the scope. */
const SETTINGS = {
  registries: { href: 'settings/registries', label: 'App Registries', scope: 'read' },
  history: { href: 'settings/history', label: 'History', scope: 'read' },
  webhooks: { href: 'settings/webhooks', label: 'Webhooks', scope: 'manage' },
  organization: { href: 'settings/organization', label: 'Organization', scope: 'read' },
  tokens: { href: 'settings/tokens', label: 'Tokens', scope: 'admin' },
  audit: { href: 'settings/audit', label: 'Audit log', scope: 'admin' },
} as const;
type SettingsSection = keyof typeof SETTINGS;
type Section = 'apps' | SettingsSection;

export interface Screen {
  title: string;
  /** Its entry in the navigation. */
  section: Section | null;
  body: Html;
  /** Seconds until the page should be fetched again; null for never. */
  refreshAfter?: number | null;
  /** Without script, the page is not fetched again, since that would discard what was typed. */
  hasForm?: boolean;
}

/** A complete document. */
export function layout(
  { organization, scope, now, base, here }: Frame,
  { title, section, body, refreshAfter = null, hasForm = false }: Screen,
): Html {
  const name = organization === null ? '' : ` · ${sanitized(organization.name, 60)}`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <base href="${base}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title}${name} · appreg</title>
        <link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml" />
        <link rel="stylesheet" href="${asset('style.css')}" />
        <script src="${asset('script.js')}" defer></script>
        ${
          refreshAfter === null || hasForm
            ? NO_MARKUP
            : html`<noscript><meta http-equiv="refresh" content="${Math.max(3, refreshAfter)}" /></noscript>`
        }
      </head>
      <body>
        <a class="skip" href="${here}#main">Skip to content</a>
        ${organization === null ? plainHeader() : pageHeader(organization, section)}
        ${
          isSettings(section)
            ? html`<div class="shell settings">
                ${settingsNavigation(section, scope)}${main(body, refreshAfter, now)}
              </div>`
            : html`<div class="shell${organization === null ? ' narrow' : ''}">${main(body, refreshAfter, now)}</div>`
        }
      </body>
    </html>`;
}

function main(body: Html, refreshAfter: number | null, now: Date): Html {
  return html`<main
    id="main"
    tabindex="-1"
    data-now="${now.toISOString()}"
    ${refreshAfter === null ? NO_MARKUP : html`data-again="${refreshAfter}"`}
  >
    ${body}
  </main>`;
}

function plainHeader(): Html {
  return html`<header class="top">
    <a class="brand" href=".">${LOGO}<span>appreg</span></a>
  </header>`;
}

function pageHeader(organization: OrganizationView, section: Screen['section']): Html {
  return html`<header class="top">
    <a class="brand" href=".">${LOGO}<span>appreg</span></a>
    <nav aria-label="Main">
      <a href="apps" ${current(section === 'apps')}>Apps</a>
      <a href="settings/registries" ${current(isSettings(section))}>Settings</a>
    </nav>
    <div class="who">
      <span class="name" title="${sanitized(organization.name, 200)}">${untrusted(organization.name, 60)}</span>
      <form method="post" action="sign-out"><button class="quiet">Sign out</button></form>
    </div>
  </header>`;
}

function isSettings(section: Section | null): section is SettingsSection {
  return section !== null && Object.hasOwn(SETTINGS, section);
}

function settingsNavigation(section: SettingsSection, scope: Scope): Html {
  const entries = Object.entries(SETTINGS).filter(([, entry]) => allows(scope, entry.scope));
  return html`<nav class="side" aria-label="Settings">
    <p class="side-title" aria-hidden="true">Settings</p>
    ${entries.map(([name, { href, label }]) => html`<a href="${href}" ${current(name === section)}>${label}</a>`)}
  </nav>`;
}

function current(is: boolean): Html {
  return is ? html`aria-current="page"` : NO_MARKUP;
}

/** The logo, in the current text color. */
const LOGO = html`<svg class="mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
  <rect x="1" y="1" width="8" height="8" rx="2.2" fill="currentColor" />
  <rect x="11" y="1" width="8" height="8" rx="2.2" fill="currentColor" opacity=".35" />
  <rect x="1" y="11" width="8" height="8" rx="2.2" fill="currentColor" opacity=".35" />
  <rect x="11" y="11" width="8" height="8" rx="4" class="dot" />
</svg>`;

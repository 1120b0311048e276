import { counted } from '../core/text/text.ts';
import { retiredChip } from '../html/about.ts';
import { code, compact, type Html, html, NOTHING, untrusted } from '../html/html.ts';
import { tile } from '../html/tile.ts';
import type { ListedApp } from './catalogue.ts';
import { type Frame, iconReference, layout, toFile } from './layout.ts';
import { LIST_PAGE, REGISTRY_FEED } from './paths.ts';
import type { SiteRegistry } from './registry.ts';
import { subscribeSection } from './subscribe-section.ts';

/** Where the apps are put. No text of a page has this character. */
const APPS = '\u0000';
/** Apps of a portion. */
const PORTION = 200;

/**
 * The page that lists all apps, in portions: it is large if there are thousands of them. The script filters it; without
 * the script it is complete.
 */
export function* listPage(site: SiteRegistry, apps: readonly ListedApp[], hasFeed: boolean): Iterable<string> {
  const frame = { site, path: LIST_PAGE };
  const icons = apps.flatMap(({ iconUrl }) => iconReference(frame, iconUrl) ?? []);
  const body = html`<div class="head">
      <div class="head-text">
        <h1>${untrusted(site.title, 100)}</h1>
        <p class="lead">
          ${counted(apps.length, 'app')} to
          install.${hasFeed ? html` <a href="${toFile(frame, REGISTRY_FEED)}">Feed of new versions</a>` : NOTHING}
        </p>
      </div>
    </div>
    ${apps.length === 0 ? EMPTY : LIST} ${subscribeSection(site)}`;
  const page = layout(frame, {
    title: site.title,
    description: `${counted(apps.length, 'app')} of the registry ${site.url}`,
    feeds: hasFeed ? [{ path: REGISTRY_FEED, title: `New versions: ${site.title}` }] : [],
    images: icons.filter((icon) => icon.startsWith('https:')),
    body,
  });
  const [start = '', end = ''] = page.split(APPS);
  yield start;
  for (let at = 0; at < apps.length; at += PORTION)
    yield apps
      .slice(at, at + PORTION)
      .map((app) => String(compact(item(frame, app))))
      .join('');
  yield end;
}

const EMPTY = html`<div class="empty">
  <h2>No apps yet</h2>
  <p>The registry lists no app with a valid version.</p>
</div>`;

/** The search is hidden until the script shows it. */
const LIST = html`<div class="search" role="search" id="search" hidden>
    <label class="unseen" for="q">Search apps</label>
    <input id="q" type="search" placeholder="Search apps" maxlength="100" autocomplete="off" spellcheck="false" />
    <p class="muted" id="count" role="status"></p>
  </div>
  <ul class="rows apps" id="apps">
    ${APPS}
  </ul>
  <p class="empty" id="none" hidden>No app matches. Try fewer or shorter words.</p>`;

function item(frame: Frame, app: ListedApp): Html {
  const { key, name, description, latest, paths } = app;
  const icon = iconReference(frame, app.iconUrl);
  return html`<li class="row">
    ${tile({ ...app, icon })}
    <div class="what">
      <h2><a href="${toFile(frame, paths.page)}">${untrusted(name, 120)}</a> ${code(key, 80)}</h2>
      <p class="description">${untrusted(description, 300)}</p>
    </div>
    <p class="newest">
      ${code(latest.version, 40)}${latest.retired === null ? NOTHING : html` ${retiredChip(latest.retired)}`}
    </p>
  </li>`;
}

import { withoutBuild } from '../core/registry/version.ts';
import { counted } from '../core/text/text.ts';
import { retiredChip, aboutLinks, optionalFields, notesSection, publishedText, retirementText } from '../html/about.ts';
import { commitUrl, externalLink, safeHref } from '../html/notes.ts';
import { codeText, compact, type Html, html, NO_MARKUP, untrusted, copyable } from '../html/html.ts';
import { iconTile } from '../html/tile.ts';
import type { ListedApp, CatalogueApp, CatalogueVersion } from './catalogue.ts';
import { hasFeed } from './feed.ts';
import { type Frame, iconReference, layout, toFile, subscribeSection, day } from './layout.ts';
import { LIST_PAGE, REGISTRY_FEED, type SiteRegistry } from './paths.ts';

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
          install.${hasFeed ? html` <a href="${toFile(frame, REGISTRY_FEED)}">Feed of new versions</a>` : NO_MARKUP}
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
    ${iconTile({ ...app, icon })}
    <div class="what">
      <h2><a href="${toFile(frame, paths.page)}">${untrusted(name, 120)}</a> ${codeText(key, 80)}</h2>
      <p class="description">${untrusted(description, 300)}</p>
    </div>
    <p class="newest">
      ${codeText(latest.version, 40)}${latest.retired === null ? NO_MARKUP : html` ${retiredChip(latest.retired)}`}
    </p>
  </li>`;
}

// The page of an app: what it is, its versions with what their author says about them, and how to subscribe.

/** A page with more versions would be slow; the metadata file has them all. */
const MOST_VERSIONS = 200;

export function appPage(site: SiteRegistry, app: CatalogueApp): string {
  const { name, description, latest, paths } = app;
  const frame = { site, path: paths.page };
  const icon = iconReference(frame, app.iconUrl);
  const body = html`<nav class="crumbs" aria-label="Breadcrumb">
      <ol>
        <li><a href="${toFile(frame, LIST_PAGE)}">All apps</a></li>
      </ol>
    </nav>
    <div class="head app-head">
      ${iconTile({ ...app, icon }, true)}
      <div class="head-text">
        <h1>${untrusted(name, 400)}</h1>
        <p class="url">${copyable(app.key, 'key')}</p>
      </div>
    </div>
    <p class="lead long">${untrusted(description, 1000)}</p>
    ${factList(app)} ${retiredNotice(latest)} ${versionsSection(frame, app)} ${subscribeSection(site)}`;
  return layout(frame, {
    title: name,
    description,
    feeds: hasFeed(app) ? [{ path: paths.feed, title: `New versions: ${name}` }] : [],
    images: icon?.startsWith('https:') === true ? [icon] : [],
    body,
  });
}

/** The other fields of the manifest, and the links of the author. */
function factList({ fields, links }: CatalogueApp): Html {
  const rows = [...optionalFields(fields), ...aboutLinks(links)];
  return rows.length === 0
    ? NO_MARKUP
    : html`<dl class="facts">${rows.map(([label, value]) => row(label, value))}</dl>`;
}

function retiredNotice({ retired }: CatalogueVersion): Html {
  if (retired === null) return NO_MARKUP;
  return html`<div class="notice ${retired.reason === 'security' ? 'bad' : 'warn'}">
    <p>${retirementText(retired, 'the latest version')}</p>
  </div>`;
}

function versionsSection(frame: Frame, app: CatalogueApp): Html {
  const { versions, latest, paths, url } = app;
  const shown = versions.slice(0, MOST_VERSIONS);
  const omitted = versions.length - shown.length;
  return html`<section aria-labelledby="versions-title">
    <div class="section-head">
      <h2 id="versions-title">Versions</h2>
      ${hasFeed(app) ? html`<a href="${toFile(frame, paths.feed)}">Feed of new versions</a>` : NO_MARKUP}
    </div>
    <ul class="rows versions">
      ${shown.map((version) => versionItem(version, version === latest))}
    </ul>
    ${omitted === 0 || url === null ? NO_MARKUP : html`<p class="muted">${counted(omitted, 'older version')} not shown; all are in ${codeText(url)}</p>`}
  </section>`;
}

function versionItem(version: CatalogueVersion, isLatest: boolean): Html {
  const { published, notes, retired } = version;
  return html`<li class="row version-row">
    <div class="version-head">
      <h3 class="version">${codeText(version.version, 120)}</h3>
      ${isLatest ? html`<span class="chip good">Latest</span>` : NO_MARKUP}
      ${withoutBuild(version.version).includes('-') ? html`<span class="chip">Pre-release</span>` : NO_MARKUP}
      ${retired === null ? NO_MARKUP : retiredChip(retired)}
      ${published === null ? NO_MARKUP : html`<p class="meta muted"><span>${publishedText(published)}</span></p>`}
    </div>
    ${retired === null ? NO_MARKUP : html`<p class="retired">${retirementText(retired)}</p>`}
    ${notes === null ? NO_MARKUP : notesSection(notes, isLatest)} ${facts(version)}
  </li>`;
}

function facts({ version, checksum, artifactUrl, build }: CatalogueVersion): Html {
  const proven: [label: string, value: Html | null][] =
    build === null
      ? []
      : [
          ['Built by', build.identity === null ? null : externalLink(build.identity, build.identity)],
          ['Key', build.key === null ? null : codeText(`sha256:${build.key}`)],
          ['Repository', build.repository === null ? null : externalLink(build.repository, build.repository)],
          [
            'Commit',
            build.commit === null ? null : externalLink(build.commit, commitUrl(build.repository, build.commit)),
          ],
          ['Signed', build.signedAt === null ? null : day(build.signedAt)],
        ];
  const rows: [label: string, value: Html | null][] = [
    ['Digest', copyable(checksum, `digest of ${version}`)],
    ['Artifact', artifactLink(artifactUrl)],
    ...proven,
  ];
  return html`<dl class="facts">${rows.map(([label, value]) => row(label, value))}</dl>`;
}

function artifactLink(url: string): Html {
  return safeHref(url) === null ? codeText(url, 500) : externalLink(url, url);
}

function row(label: string, value: Html | null): Html {
  if (value === null) return NO_MARKUP;
  return html`<div>
    <dt>${label}</dt>
    <dd>${value}</dd>
  </div>`;
}

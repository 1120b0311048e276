import { isSemver, shellWord } from 'appreg';
import {
  aboutLinks,
  codeText,
  copyable,
  copyButton,
  html,
  type Html,
  notesSection,
  NO_MARKUP,
  optionalFields,
  publishedText,
  retiredChip,
  retirementText,
  sanitized,
  byteSize,
  untrusted,
} from 'appreg/node';
import { type SubscriptionView } from '../domain/registries.ts';
import { type AppView, type VersionView } from '../domain/apps.ts';
import { type AppFindings, findingList } from './findings.ts';
import { type EventView } from '../domain/events.ts';
import { type Screen } from './layout.ts';
import { breadcrumbs, registryPath, appPath, cursorLinks, pathWithQuery } from './navigation.ts';
import { tile, installability, versionCount, reasons } from './app-tile.ts';
import { isBusy, versionState } from './states.ts';
import { relativeTime, emptyState, status, calendarDay } from './components.ts';
import { eventTable } from './events.ts';
import { attestationSection } from './attestations.ts';

/** An app: whether it can be installed, its versions, and the findings about it. */

interface AppPage {
  subscription: SubscriptionView;
  app: AppView;
  versions: readonly VersionView[];
  /** The cursors of the next page of versions and of this one; null if there is none. */
  next: string | null;
  after: string | null;
  /** The app's findings in the last report. */
  findings: AppFindings;
  /** Its last events, the newest first. */
  events: readonly EventView[];
  /** The other registries of the organization that list an app with the same key. */
  sameKey: readonly { id: string; name: string }[];
  now: Date;
}

export function appPage(view: AppPage): Screen {
  const { subscription, app, versions } = view;
  const name = app.name === '' ? app.key : app.name;
  const body = html`${breadcrumbs({ href: 'apps', text: 'Apps' }, { href: registryPath(subscription.id), text: subscription.name })}
    <div class="head app-head">
      ${tile(app, true)}
      <div class="head-text">
        <h1>${untrusted(name, 400)}</h1>
        <p class="url">${copyable(app.key, 'key')}</p>
      </div>
    </div>
    ${app.description === '' ? NO_MARKUP : html`<p class="lead long">${untrusted(app.description, 1000)}</p>`}
    ${linkList(app)} ${stateBox(view)}
    <div id="app-findings" data-live>${findingsSection(view)}</div>
    ${versionsSection(view)} ${historySection(view)}`;
  const isPending = versions.some(({ state }) => state === 'pending');
  return {
    title: sanitized(name, 60),
    section: 'apps',
    body,
    refreshAfter: isBusy(subscription) || isPending ? 3 : 60,
  };
}

/** The other fields of the manifest, and the author's links. */
function linkList(app: AppView): Html {
  const rows = [...optionalFields(app), ...aboutLinks(app.links)].map(
    ([label, value]) =>
      html`<div>
        <dt>${label}</dt>
        <dd>${value}</dd>
      </div>`,
  );
  return html`<div id="app-links" data-live>
    ${rows.length === 0 ? NO_MARKUP : html`<dl class="app-links digests">${rows}</dl>`}
  </div>`;
}

function stateBox({ app, subscription, sameKey, now }: AppPage): Html {
  return html`<div class="state" id="state" role="status" data-live>
    <div class="state-line">
      ${installability(app)} ${app.latest === null ? NO_MARKUP : html`<span>Latest ${codeText(app.latest, 80)}</span>`}
      <span class="muted">${versionCount(app)}</span>
      <span class="schedule muted"
        ><span>from <a href="${registryPath(subscription.id)}">${untrusted(subscription.name, 80)}</a></span></span
      >
    </div>
    ${reasons(app)}
    ${app.deprecated === null ? NO_MARKUP : html`<p class="retired">${retirementText(app.deprecated, 'the latest version')}</p>`}
    ${sameKey.length === 0 ? NO_MARKUP : sameKeyNote(app.key, sameKey)}
    ${app.failingSince === null ? NO_MARKUP : html`<p class="muted">Its metadata file cannot be used (first noticed ${relativeTime(app.failingSince, now)}). The last known state remains valid.</p>`}
  </div>`;
}

/** Other apps with this key are not this app. */
function sameKeyNote(key: string, registries: AppPage['sameKey']): Html {
  const links = registries.map(
    ({ id, name }) => html`<li><a href="${appPath(id, key)}">${untrusted(name, 80)}</a></li>`,
  );
  return html`<p class="muted">Other registries list another app with this key. Neither replaces the other:</p>
    <ul class="reasons">
      ${links}
    </ul>`;
}

function findingsSection({ findings, subscription }: AppPage): Html {
  const health = html`<a href="${registryPath(subscription.id, 'health')}">Health of the registry</a>`;
  const { own, shared } = findings;
  return html`${
    own.length === 0
      ? NO_MARKUP
      : html`<section aria-labelledby="findings-title">
          <div class="section-head">
            <h2 id="findings-title">Findings about this app</h2>
            ${health}
          </div>
          ${findingList(own)}
        </section>`
  }
  ${
    shared.length === 0
      ? NO_MARKUP
      : html`<section aria-labelledby="shared-title">
          <div class="section-head">
            <h2 id="shared-title">Findings that affect other apps as well</h2>
            ${own.length === 0 ? health : NO_MARKUP}
          </div>
          ${findingList(shared)}
        </section>`
  }`;
}

function versionsSection({ subscription, app, versions, next, after, now }: AppPage): Html {
  const first = after === null ? null : appPath(subscription.id, app.key);
  const older = next === null ? null : appPath(subscription.id, app.key, next);
  return html`<section aria-labelledby="versions-title">
    <div class="section-head"><h2 id="versions-title">Versions</h2></div>
    <p class="muted">
      A version is offered once its artifact was fetched and its SHA-256 matched. The first digest that matched is
      pinned.
    </p>
    <div id="versions" data-live>
      ${
        versions.length === 0
          ? emptyState('No versions known', 'The metadata file of the app lists no readable versions.')
          : versionList(versions, { registryUrl: subscription.url, appKey: app.key, latest: app.latest, now })
      }
      ${cursorLinks(first, older)}
    </div>
  </section>`;
}

function historySection({ subscription, app, events, now }: AppPage): Html {
  return html`<section aria-labelledby="history-title">
    <div class="section-head">
      <h2 id="history-title">History</h2>
      <a href="${pathWithQuery(registryPath(subscription.id, 'history'), { app: app.key })}">All events of this app</a>
    </div>
    <div id="app-history" data-live>
      ${events.length === 0 ? html`<p class="muted">Nothing has changed since your organization subscribed.</p>` : eventTable(events, 'app', now)}
    </div>
  </section>`;
}

/** The versions of an app, with what pins each of them. */

interface VersionContext {
  registryUrl: string;
  appKey: string;
  /** The version that is offered as the latest; null if none is. */
  latest: string | null;
  now: Date;
}

export function versionList(versions: readonly VersionView[], context: VersionContext): Html {
  return html`<ul class="rows versions">
    ${versions.map((version) => versionRow(version, context))}
  </ul>`;
}

function versionRow(version: VersionView, context: VersionContext): Html {
  const { tone, word } = versionState(version);
  const { published, notes, deprecated } = version;
  const { now, latest } = context;
  return html`<li class="row version-row">
    <div class="version-head">
      <h3 class="version">${codeText(version.version, 120)}</h3>
      ${status(tone, word)} ${deprecated === null ? NO_MARKUP : retiredChip(deprecated)}
      <p class="meta muted">
        ${version.bytes === null ? NO_MARKUP : html`<span>${byteSize(version.bytes)}</span>`}
        ${published === null ? NO_MARKUP : html`<span>${publishedText(published)}</span>`}
        <span>first seen ${calendarDay(version.firstSeenAt)}</span>
        ${version.verifiedAt === null ? NO_MARKUP : html`<span>verified ${relativeTime(version.verifiedAt, now)}</span>`}
      </p>
    </div>
    ${deprecated === null ? NO_MARKUP : html`<p class="retired">${retirementText(deprecated)}</p>`}
    ${explanation(version, now)} ${notes === null ? NO_MARKUP : notesSection(notes, version.version === latest)}
    ${attestationSection(version.attestation, now)} ${digests(version)} ${manualVerification(version, context)}
  </li>`;
}

function digests(version: VersionView): Html {
  return html`<dl class="digests">
    <div>
      <dt>${version.verifiedAt === null ? 'Listed digest' : 'Pinned digest'}</dt>
      <dd>${copyable(version.artifactChecksum, `digest of ${sanitized(version.version, 60)}`)}</dd>
    </div>
    ${
      version.swappedChecksum === null
        ? NO_MARKUP
        : html`<div class="swapped">
            <dt>Listed now</dt>
            <dd>${copyable(version.swappedChecksum, 'currently listed digest')}</dd>
          </div>`
    }
    ${
      version.servedChecksum === null || version.servedChecksum === version.swappedChecksum
        ? NO_MARKUP
        : html`<div class="swapped">
            <dt>Served last</dt>
            <dd>${copyable(version.servedChecksum, 'digest of the served bytes')}</dd>
          </div>`
    }
    <div>
      <dt>Artifact</dt>
      <dd>${codeText(version.artifactUrl, 500)}</dd>
    </div>
  </dl>`;
}

/** Commands for a terminal, which do not depend on this service. */
function manualVerification(version: VersionView, { registryUrl, appKey }: VersionContext): Html {
  const commands = commandsToVerify(version, registryUrl, appKey);
  if (commands === null) return NO_MARKUP;
  const { fetch, digest, verify } = commands;
  return html`<details class="by-hand">
    <summary>Verify it by hand</summary>
    <p>This prints the SHA-256 of what the host serves:</p>
    ${commandLine(fetch, 'command')}
    <p>The output must be this digest:</p>
    ${commandLine(digest, 'expected digest')}
    <p>This also checks how the version is listed:</p>
    ${commandLine(verify, 'appreg command')}
  </details>`;
}

function commandLine(text: string, what: string): Html {
  return html`<p class="command"><code dir="ltr">${text}</code>${copyButton(text, what)}</p>`;
}

/** The reason why a version is not offered, or what is special about it. */
function explanation(version: VersionView, now: Date): Html {
  const { state, offered, reason, swappedChecksum, withdrawnAt, lostAt, policyHold } = version;
  const lines: (Html | string)[] = [];
  if (policyHold !== null)
    lines.push(html`The policy of your organization holds it back: ${untrusted(policyHold.message, 500)}`);
  if (swappedChecksum !== null)
    lines.push(
      `The metadata file now lists a different artifact than when it was first seen. Replaced artifacts are never offered: ${offered ? 'only the artifact with the pinned digest is offered.' : 'it is not offered.'}`,
    );
  if (reason !== null) lines.push(untrusted(reason.message, 500));
  if (lostAt !== null && offered)
    lines.push(
      html`Its host no longer has the artifact (first noticed ${relativeTime(lostAt, now)}). This service offers its
      verified copy.`,
    );
  if (state === 'withdrawn')
    lines.push(
      withdrawnAt === null
        ? 'The app is no longer in the manifest, so it is not offered.'
        : html`It was removed from the metadata file ${relativeTime(withdrawnAt, now)}, so it is not offered. It will be
          offered again if it is listed with the same digest.`,
    );
  if (state === 'pending' && reason === null) lines.push('Its artifact is being fetched.');
  if (lines.length === 0) return NO_MARKUP;
  return html`<ul class="reasons">
    ${lines.map((line) => html`<li>${line}</li>`)}
  </ul>`;
}

/** Commands that verify a version without the service. */

interface VerifyCommands {
  /** Prints the SHA-256 of the artifact. */
  fetch: string;
  /** The text that it has to print: hexadecimal digits. */
  digest: string;
  verify: string;
}

const DIGEST = /^sha256:([0-9a-f]{64})$/;

/**
 * @returns null if the version cannot be verified by pasted commands: its digest is not valid, or a text contains
 * characters that a terminal could interpret or that are hidden here
 */
export function commandsToVerify(
  { version, artifactUrl, artifactChecksum }: { version: string; artifactUrl: string; artifactChecksum: string },
  registryUrl: string,
  appKey: string,
): VerifyCommands | null {
  const digest = DIGEST.exec(artifactChecksum)?.[1];
  if (digest === undefined) return null;
  if (![version, artifactUrl, registryUrl, appKey].every(isPastable)) return null;
  return {
    fetch: `curl -fsSL -- ${shellWord(artifactUrl)} | sha256sum`,
    digest,
    verify: `appreg verify ${shellWord(registryUrl)} --app=${shellWord(appKey)}${isSemver(version) ? ` --versions=${shellWord(version)}` : ''}`,
  };
}

/** True if the text is shown as it is: without control or invisible characters, secrets, and not truncated. */
function isPastable(text: string): boolean {
  return text !== '' && text === sanitized(text, 1000) && !text.includes('REDACTED');
}

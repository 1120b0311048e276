import { attestationSection } from '../attestations/build-page.ts';
import { size } from '../../report/words.ts';
import type { VersionView } from './schema.ts';
import { status, calendarDay, relativeTime } from '../pages/components.ts';
import { notesSection, publishedText, retiredChip, retirementText } from '../../html/about.ts';
import { shellWord } from '../../core/text/text.ts';
import { type Html, html, NOTHING, code, sanitized, untrusted, copyable, copyButton } from '../../html/html.ts';
import { versionState } from '../pages/states.ts';
import { isSemver } from '../../core/registry/version.ts';

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
      <h3 class="version">${code(version.version, 120)}</h3>
      ${status(tone, word)} ${deprecated === null ? NOTHING : retiredChip(deprecated)}
      <p class="meta muted">
        ${version.bytes === null ? NOTHING : html`<span>${size(version.bytes)}</span>`}
        ${published === null ? NOTHING : html`<span>${publishedText(published)}</span>`}
        <span>first seen ${calendarDay(version.firstSeenAt)}</span>
        ${version.verifiedAt === null ? NOTHING : html`<span>verified ${relativeTime(version.verifiedAt, now)}</span>`}
      </p>
    </div>
    ${deprecated === null ? NOTHING : html`<p class="retired">${retirementText(deprecated)}</p>`}
    ${explanation(version, now)} ${notes === null ? NOTHING : notesSection(notes, version.version === latest)}
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
        ? NOTHING
        : html`<div class="swapped">
            <dt>Listed now</dt>
            <dd>${copyable(version.swappedChecksum, 'currently listed digest')}</dd>
          </div>`
    }
    ${
      version.servedChecksum === null || version.servedChecksum === version.swappedChecksum
        ? NOTHING
        : html`<div class="swapped">
            <dt>Served last</dt>
            <dd>${copyable(version.servedChecksum, 'digest of the served bytes')}</dd>
          </div>`
    }
    <div>
      <dt>Artifact</dt>
      <dd>${code(version.artifactUrl, 500)}</dd>
    </div>
  </dl>`;
}

/** Commands for a terminal, which do not depend on this service. */
function manualVerification(version: VersionView, { registryUrl, appKey }: VersionContext): Html {
  const commands = commandsToVerify(version, registryUrl, appKey);
  if (commands === null) return NOTHING;
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

/** Why a version is not offered, or what is special about it. */
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
  if (lines.length === 0) return NOTHING;
  return html`<ul class="reasons">
    ${lines.map((line) => html`<li>${line}</li>`)}
  </ul>`;
}

/** Commands that verify a version without the service. */

interface VerifyCommands {
  /** Prints the SHA-256 of the artifact. */
  fetch: string;
  /** What it has to print: hexadecimal digits. */
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

/** Whether the text is shown as it is: without control or invisible characters, secrets, and not truncated. */
function isPastable(text: string): boolean {
  return text !== '' && text === sanitized(text, 1000) && !text.includes('REDACTED');
}

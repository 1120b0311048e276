import { isDigestForm, sameDigest } from '../core/registry/baseline.ts';
import type { AboutDiff, CompanionDiff } from '../core/diff/state.ts';
import type { AppDiff, RegistryDiff, VersionDiff } from '../core/diff/diff.ts';
import { counted, redact, safeExcerpt, shorten } from '../core/text/text.ts';
import { reasonWords } from './report-text.ts';
import { cell, code, prose } from './markdown-text.ts';
import { PLAIN, type Style } from './style.ts';
import { byteSize } from './words.ts';

/** Report of the changes for subscribers, for people. */

/** Apps listed, and versions of each. */
const MAX_APPS = 100;
const MAX_VERSIONS = 20;

const APP_MARKS = { added: '+', removed: '-', changed: '~' } as const;
const APP_COLORS = { added: 'green', removed: 'red', changed: 'yellow' } as const;
const VERSION_MARKS = { added: '+', removed: '-', changed: '!', moved: '~' } as const;
const COMPANION_COLORS = { added: 'green', removed: 'red', changed: 'red' } as const;
const COMPANION_NAMES = { attestation: 'attestation', sbom: 'bill of materials' } as const;
const COMPANION_CHANGES = {
  added: 'added',
  removed: 'removed, but evidence of a published version must stay',
  changed: 'changed, but evidence of a published version must never change',
} as const;
const VERSION_COLORS = { added: 'green', removed: 'red', changed: 'red', moved: 'yellow' } as const;

/** The differences for a terminal. */
export function diffAsText(found: RegistryDiff, style: Style = PLAIN): string {
  const lines: string[] = [];
  const notCompared = new Set(found.notCompared.map(({ key }) => key));
  for (const app of found.apps.slice(0, MAX_APPS)) {
    const mark = style[APP_COLORS[app.change]](APP_MARKS[app.change]);
    lines.push(`${mark} ${style.bold(safeExcerpt(app.key))}${remarksOn(app, notCompared)}`);
    for (const { name, before, after } of app.fields)
      lines.push(`    ${name}: ${quotedOrNone(before)} → ${quotedOrNone(after)}`);
    for (const version of app.versions.slice(0, MAX_VERSIONS)) lines.push(`    ${versionLine(version, style)}`);
    if (app.versions.length > MAX_VERSIONS)
      lines.push(style.dim(`    … and ${counted(app.versions.length - MAX_VERSIONS, 'more version')}`));
  }
  if (found.apps.length > MAX_APPS)
    lines.push(style.dim(`… and ${counted(found.apps.length - MAX_APPS, 'more app')}; --format json lists them all.`));
  for (const key of found.vanishing.slice(0, MAX_APPS))
    lines.push(style.red(`Subscribers would no longer see ${safeExcerpt(key)}${reasonFor(found, key)}.`));
  if (found.hosts.added.length > 0)
    lines.push(
      style.yellow(
        `New ${found.hosts.added.length === 1 ? 'host' : 'hosts'}: ${found.hosts.added.map((text) => safeExcerpt(text)).join(', ')}`,
      ),
    );
  if (found.hosts.removed.length > 0)
    lines.push(`Hosts no longer used: ${found.hosts.removed.map((text) => safeExcerpt(text)).join(', ')}`);
  const { companions = [] } = found;
  for (const one of companions.slice(0, MAX_APPS)) lines.push(style[COMPANION_COLORS[one.change]](companionLine(one)));
  if (companions.length > MAX_APPS)
    lines.push(
      style.dim(`… and ${counted(companions.length - MAX_APPS, 'more companion file')}; --format json lists them all.`),
    );
  lines.push(...aboutLines(found.about ?? []));
  if (found.notCompared.length > 0) lines.push(style.dim(notComparedLine(found, safeExcerpt)));
  lines.push(diffHeadline(found));
  return lines.join('\n');
}

/** The differences for a comment on a pull request; all text is escaped. */
export function diffAsMarkdown(found: RegistryDiff): string {
  const lines = [`### ${prose(diffHeadline(found))}`, ''];
  if (found.vanishing.length > 0) {
    lines.push('**Subscribers would no longer see:**', '');
    for (const key of found.vanishing.slice(0, MAX_APPS)) lines.push(`- ${asCode(key)}${prose(reasonFor(found, key))}`);
    lines.push('');
  }
  if (found.hosts.added.length > 0) lines.push(`**New hosts:** ${found.hosts.added.map(asCode).join(', ')}`, '');
  if (found.notCompared.length > 0) lines.push(notComparedLine(found, asCode), '');
  const notCompared = new Set(found.notCompared.map(({ key }) => key));
  if (found.apps.length > 0) lines.push('| | App | Version | Change |', '| --- | --- | --- | --- |');
  for (const app of found.apps.slice(0, MAX_APPS)) {
    lines.push(
      row(
        app.change === 'removed' ? '−' : APP_MARKS[app.change],
        app.key,
        '',
        `${app.change}${remarksOn(app, notCompared)}`,
      ),
    );
    for (const { name, before, after } of app.fields)
      lines.push(row('', '', '', `${name}: ${quotedOrNone(before)} → ${quotedOrNone(after)}`));
    for (const version of app.versions.slice(0, MAX_VERSIONS))
      lines.push(row('', '', version.version, changeOf(version)));
    if (app.versions.length > MAX_VERSIONS)
      lines.push(row('', '', '', `… and ${counted(app.versions.length - MAX_VERSIONS, 'more version')}`));
  }
  if (found.apps.length > MAX_APPS) lines.push('', `… and ${counted(found.apps.length - MAX_APPS, 'more app')}.`);
  const { companions = [] } = found;
  if (companions.length > 0) lines.push('', '**Companion files:**', '');
  for (const one of companions.slice(0, MAX_APPS)) lines.push(`- ${prose(companionLine(one))}`);
  if (companions.length > MAX_APPS) lines.push(`- … and ${counted(companions.length - MAX_APPS, 'more')}`);
  const about = aboutLines(found.about ?? []);
  if (about.length > 0) lines.push('', '**About files:**', '', ...about.map((line) => `- ${prose(line)}`));
  return lines.join('\n').trimEnd();
}

/** @param named formats a key */
function notComparedLine(found: RegistryDiff, named: (key: string) => string): string {
  const listed = found.notCompared.slice(0, 10).map(({ key }) => named(key));
  const rest = found.notCompared.length - listed.length;
  const reasons = [...new Set(found.notCompared.map(({ reason }) => safeExcerpt(reason)))].slice(0, 3).join('; ');
  return `Versions not compared: ${listed.join(', ')}${rest > 0 ? ` and ${counted(rest, 'more app')}` : ''} (${reasons})`;
}

/** The number of changes, in one line. */
export function diffHeadline({ summary: sum, apps, notCompared, about = [] }: RegistryDiff): string {
  if (apps.length === 0) {
    const observed = notCompared.length > 0 ? ', as far as was observed' : '';
    return about.length === 0
      ? `Nothing changes for subscribers${observed}`
      : `No app or version changes${observed}; ${counted(about.length, 'change')} of about files`;
  }
  const parts = [
    [sum.appsAdded, 'app', 'added'],
    [sum.appsRemoved, 'app', 'removed'],
    [sum.appsChanged, 'app', 'changed'],
    [sum.versionsAdded, 'version', 'added'],
    [sum.versionsRemoved, 'version', 'withdrawn'],
    [sum.versionsChanged, 'version', 'changed'],
  ] as const;
  const remarks = parts
    .filter(([number]) => number > 0)
    .map(([number, noun, verb]) => `${counted(number, noun)} ${verb}`);
  return `${remarks.join(', ')}${sum.bytesAdded > 0 ? ` (${byteSize(sum.bytesAdded)} new)` : ''}`;
}

function remarksOn(app: AppDiff, notCompared: ReadonlySet<string>): string {
  const { key, change, latest, visible } = app;
  const remarks: string[] = [];
  const isHidden = change !== 'removed' && visible.after === false;
  if (change === 'changed' && !isHidden && latest.before !== latest.after)
    remarks.push(`latest ${latest.before ?? 'none'} → ${latest.after ?? 'none'}`);
  if (change === 'added' && !isHidden && !notCompared.has(key))
    remarks.push(latest.after === null ? 'no version yet' : `latest ${latest.after}`);
  if (isHidden) remarks.push(`hidden because ${reasonWords(app, new Set(app.unpublished ? [key] : []))}`);
  if (change === 'changed' && visible.before === false && !isHidden)
    remarks.push(visible.after === true ? 'now visible' : 'no longer hidden');
  return remarks.length === 0 ? '' : `  (${remarks.map((text) => safeExcerpt(text)).join('; ')})`;
}

function reasonFor({ apps }: RegistryDiff, key: string): string {
  const app = apps.find((one) => one.key === key);
  if (!app || app.change === 'removed') return ': it is no longer listed';
  return app.because.length > 0 ? `: ${app.because.join(', ')}` : '';
}

function versionLine(version: VersionDiff, style: Style): string {
  // Of the same bytes, the description differs, as after a move.
  const kind = version.change === 'changed' && !hasOtherBytes(version) ? 'moved' : version.change;
  return style[VERSION_COLORS[kind]](`${VERSION_MARKS[kind]} ${safeExcerpt(version.version)}  ${changeOf(version)}`);
}

/** True if the digest differs by more than its form: by the rule `artifact-changed`, no published version may do so. */
function hasOtherBytes({ checksum: { before, after } }: VersionDiff): boolean {
  return before !== null && after !== null && isDigestForm(before) && !sameDigest(before, after);
}

function changeOf(version: VersionDiff): string {
  const { change, url, checksum, bytes, listedAs } = version;
  const bytesText = bytes === null ? '' : `, ${byteSize(bytes)}`;
  if (change === 'added') return `added${bytesText}: ${safeExcerpt(url.after ?? 'no URL')}`;
  if (listedAs !== undefined)
    return `withdrawn: it is now written ${quotedOrNone(listedAs)}, which is not a semantic version; write it as “${safeExcerpt(version.version)}”`;
  if (change === 'removed') return 'withdrawn, but a published version must stay listed';
  if (change === 'moved') return `moved: ${quotedOrNone(url.before)} → ${quotedOrNone(url.after)}`;
  const checksums = `${quotedOrNone(checksum.before)} → ${quotedOrNone(checksum.after)}`;
  return hasOtherBytes(version)
    ? `different bytes: ${checksums}, but a published version must never change`
    : `checksum: ${checksums}`;
}

function companionLine({ app, version, kind, change }: CompanionDiff): string {
  return `${safeExcerpt(app)} ${safeExcerpt(version)}: ${COMPANION_NAMES[kind]} ${COMPANION_CHANGES[change]}`;
}

/** A value as code; empty for an empty text. */
function asCode(text: string): string {
  return text === '' ? '' : code(redact(shorten(text)));
}

function quotedOrNone(text: string | null): string {
  return text === null ? 'none' : `“${safeExcerpt(text)}”`;
}

function row(...cells: readonly [string, string, string, string]): string {
  const [mark, key, version, change] = cells;
  return `| ${mark} | ${cell(asCode(key))} | ${cell(asCode(version))} | ${cell(prose(change.replaceAll(' → ', ' to ')))} |`;
}

/** Differences between about files, as sentences. */

const CHANGES: Record<AboutDiff['change'], string> = {
  retired: 'retired',
  restored: 'no longer retired',
  'retirement-changed': 'the retirement changed',
  'notes-changed': 'the notes changed',
  'published-changed': 'the time of publication changed',
  'links-changed': 'links or license changed',
};
/** Differences listed. */
const MOST = 100;

/** A line for each difference. */
function aboutLines(found: readonly AboutDiff[]): string[] {
  const lines = found.slice(0, MOST).map(({ app, version, change, reason }) => {
    const of = version === null ? safeExcerpt(app) : `${safeExcerpt(app)} ${safeExcerpt(version)}`;
    return `${of}: ${CHANGES[change]}${reason === null ? '' : ` (${reason})`}`;
  });
  const rest = found.length - lines.length;
  return rest === 0 ? lines : [...lines, `… and ${counted(rest, 'more change')} of about files`];
}

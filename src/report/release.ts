import { MANIFEST_FIELDS } from '../core/registry/manifest.ts';
import { type EntryConflict, type EntryDifference, hasWrites } from '../core/release/entry-changes.ts';
import type { ReleasedApp, ReleaseReport } from '../core/release/report.ts';
import { type AppWithoutFolder, isFolderLost } from '../core/release/without-folder.ts';
import { FAILING_STATES, RELEASE_STATES, type ReleaseState } from '../core/release/state.ts';
import { counted, redact, safeExcerpt, shellWord, shorten } from '../core/text/text.ts';
import { alignedRows } from './columns.ts';
import { cell, code, prose } from './markdown-text.ts';
import { PLAIN, type Style } from './style.ts';

/** The state of each app of a repository, for people. */

/** The number of apps that are named. */
const MAX_APPS = 100;
const MAX_MESSAGE = 400;
const MAX_VALUE = 100;

interface Mark {
  mark: string;
  color: 'green' | 'yellow' | 'red' | 'dim';
}

const FAILED: Mark = { mark: '!', color: 'red' };
/** The state of an app in a row of its own: that of its texts, if it has no version to publish. */
export type ReleaseLabel = ReleaseState | 'texts' | 'conflict';

const MARKS: Record<ReleaseLabel, Mark> = {
  texts: { mark: '+', color: 'green' },
  conflict: FAILED,
  unchanged: { mark: '=', color: 'dim' },
  new: { mark: '+', color: 'green' },
  changed: FAILED,
  rebuilt: { mark: '~', color: 'yellow' },
  reverted: FAILED,
  behind: FAILED,
  unlisted: FAILED,
  broken: FAILED,
};

/** The number of apps that are named in one line together. */
const MAX_NAMED = 10;

/** A table with the messages of each app. Unchanged apps are only counted, and rebuilt ones named, unless `isVerbose`. */
export function releaseAsText(report: ReleaseReport, style: Style = PLAIN, isVerbose = false): string {
  const { shown, left } = selected(report.apps, isVerbose);
  const rebuilt = isVerbose ? null : rebuiltLine(report.apps, text);
  const rebuiltLines = rebuilt === null ? [] : [style.yellow(`~ ${rebuilt}`)];
  const after = [...folderLines(report, style), ...rebuiltLines];
  if (shown.length === 0) return [...after, releaseSummary(report)].join('\n');
  const rows = shown.map((app) => [releaseLabel(app), app.key, app.declared ?? '–', app.listed ?? '–'].map(text));
  const [header = '', ...rowLines] = alignedRows([['state', 'app', 'declared', 'highest listed'], ...rows]);
  const lines = [`  ${style.dim(header)}`];
  for (const [index, app] of shown.entries()) {
    const { mark, color } = needsAttention(app) ? FAILED : MARKS[releaseLabel(app)];
    lines.push(`${style[color](mark)} ${style[color](rowLines[index] ?? '')}`);
    for (const part of remarksOn(app)) lines.push(...part.split('\n').map((one) => `    ${text(one.trim())}`));
  }
  if (left > 0) lines.push(style.dim(`… and ${counted(left, 'more app')}; --format json lists them all.`));
  lines.push(...after, '', releaseSummary(report));
  return lines.join('\n');
}

/** `48 apps: 36 unchanged, 11 changed, 1 new`; states without apps are left out. */
export function releaseSummary({ apps, summary, withoutFolder }: ReleaseReport): string {
  const parts = RELEASE_STATES.filter((state) => summary[state] > 0).map((state) => `${summary[state]} ${state}`);
  if (summary.published > 0) parts.push(`${summary.published} published`);
  const unrecorded = apps.filter(isUnrecorded).length;
  const notPublished = summary.failed - summary.broken - unrecorded;
  if (notPublished > 0) parts.push(`${notPublished} not published`);
  if (unrecorded > 0) parts.push(`${unrecorded} not recorded`);
  if (summary.changedTexts > 0) parts.push(`${summary.changedTexts} with changed texts`);
  const lost = withoutFolder.filter(isFolderLost).length;
  if (lost > 0) parts.push(`${lost} without the former folder`);
  if (summary.conflicts > 0) parts.push(`${summary.conflicts} with a conflict`);
  return `${counted(apps.length, 'app')}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
}

/** The release for a comment on a pull request; all text is escaped. */
export function releaseAsMarkdown(report: ReleaseReport): string {
  const changed = report.apps.filter(isNamed);
  const lines = [`### ${prose(releaseSummary(report))}`];
  if (changed.length > 0)
    lines.push('', '| State | App | Declared | Highest listed | |', '| --- | --- | --- | --- | --- |');
  for (const app of changed.slice(0, MAX_APPS)) {
    const remarks = remarksOn(app).map((part) => shorten(redact(part), MAX_MESSAGE));
    lines.push(
      `| ${needsAttention(app) ? `**${releaseLabel(app)}**` : releaseLabel(app)} | ${inCell(app.key)} | ${inCell(app.declared)} | ${inCell(app.listed)} | ${cell(prose(remarks.join(' ').replaceAll('\n', ' ')))} |`,
    );
  }
  if (changed.length > MAX_APPS) lines.push('', `… and ${counted(changed.length - MAX_APPS, 'more app')}.`);
  for (const app of named(report)) {
    const mark = isFolderLost(app) ? '**No folder:** ' : '';
    lines.push('', `${mark}${prose(redact(`${app.message} ${app.advice}`))}`);
  }
  const others = othersLine(report, inCell);
  if (others !== null) lines.push('', others);
  const rebuilt = rebuiltLine(report.apps, inCell);
  if (rebuilt !== null) lines.push('', rebuilt);
  return lines.join('\n');
}

/** The listed apps without a folder: a removed or renamed one with its consequence, all others in one line. */
function folderLines(report: ReleaseReport, style: Style): string[] {
  const lines = named(report).flatMap((app) => {
    const { mark, color } = isFolderLost(app) ? FAILED : MARKS.rebuilt;
    return [`${style[color](mark)} ${style[color](text(app.message))}`, `    ${text(app.advice)}`];
  });
  const others = othersLine(report, text);
  return others === null ? lines : [...lines, `  ${others}`];
}

function named({ withoutFolder }: ReleaseReport): AppWithoutFolder[] {
  return withoutFolder.filter((app) => isFolderLost(app) || app.renamedTo !== null);
}

function othersLine(report: ReleaseReport, shown: (key: string) => string): string | null {
  const keys = report.withoutFolder.filter((app) => !named(report).includes(app)).map(({ key }) => key);
  if (keys.length === 0) return null;
  const apps = keys.length === 1 ? 'listed app has' : 'listed apps have';
  return `${keys.length} ${apps} no folder here: ${namedKeys(keys, shown)}. ${keys.length === 1 ? 'It stays' : 'They stay'} listed; appreg remove-app removes an app for all subscribers.`;
}

function namedKeys(keys: readonly string[], shown: (key: string) => string): string {
  const names = keys.slice(0, MAX_NAMED).map(shown).join(', ');
  return keys.length > MAX_NAMED ? `${names} and ${keys.length - MAX_NAMED} more` : names;
}

/** All rebuilt apps in one line, since an upgrade of a tool rebuilds many, and no action is required; null without one. */
function rebuiltLine(apps: readonly ReleasedApp[], shown: (key: string) => string): string | null {
  const keys = apps.flatMap(({ key, state }) => (state === 'rebuilt' ? [key] : []));
  if (keys.length === 0) return null;
  return `${counted(keys.length, 'app')} rebuilt from the same sources: ${namedKeys(keys, shown)}. The published versions stay; no action is required.`;
}

/** Everything that is said of an app: its message and advice, its changed texts, and why some are not published. */
export function remarksOn(app: ReleasedApp): string[] {
  const { message, advice, published } = app;
  const own = published && advice === null ? [] : [message, advice].filter((part) => part !== null);
  return [...own, ...entryLines(app)];
}

/** True for an app that a failing run has to name: also a new version that could not be published. */
export function needsAttention(app: ReleasedApp): boolean {
  const { state, published, advice, changes } = app;
  const isFailing = FAILING_STATES.includes(state) || changes.conflicts.length > 0 || changes.error !== null;
  return isFailing || (state === 'new' && !published && advice !== null) || isUnrecorded(app);
}

/** True for an app that is published, and could not be recorded in the lock file. */
function isUnrecorded({ state, published, advice, changes }: ReleasedApp): boolean {
  if (changes.error !== null && (changes.published || !hasWrites(changes))) return true;
  return advice !== null && (published || state === 'unchanged');
}

/** True for an app with a row of its own. */
function isNamed(app: ReleasedApp): boolean {
  const label = releaseLabel(app);
  const isPlain = label === 'unchanged' || label === 'rebuilt';
  return !isPlain || app.changes.differences.length > 0 || isUnrecorded(app);
}

/** The state of an app as a table names it: `texts` or `conflict` for one whose version is published, and its texts are not. */
export function releaseLabel({ state, changes }: ReleasedApp): ReleaseLabel {
  if (state !== 'unchanged' && state !== 'rebuilt') return state;
  if (changes.conflicts.length > 0) return 'conflict';
  return hasWrites(changes) ? 'texts' : state;
}

/** The changes of the texts and the icon of an app, and its conflicts with the next step. */
function entryLines(app: ReleasedApp): string[] {
  const { state, changes } = app;
  const { fields, icon, conflicts, differences, error } = changes;
  const written = fields.map(({ field, before, after }) => `${field}: ${quoted(before)} → ${quoted(after)}`);
  if (icon !== null) written.push(icon.before === null ? 'icon: new' : 'icon: changed');
  if (written.length > 0 && FAILING_STATES.includes(state))
    written.push(`The texts are published once the app is no longer ${state}.`);
  if (error !== null) written.push(error.message, error.advice);
  return [
    ...written,
    ...conflicts.flatMap((one) => conflictLines(app, one, reasonFor(one))),
    ...differences.flatMap((one) => conflictLines(app, one, OLD_DIFFERENCE)),
  ];
}

/** A text that differs from the published one and is not written, and the next step. */
function conflictLines(
  { key, folder }: ReleasedApp,
  { field, published, described }: EntryDifference,
  why: string,
): string[] {
  const option = field === 'icon' ? '--icon' : optionOf(field);
  const value = field === 'icon' ? '<file>' : shellWord(described);
  const command = `appreg edit-app ${shellWord(key)} ${option} ${value}`;
  if (field === 'icon')
    return [
      `The published icon is another file than the one in ${folder}, and stays: ${why}.`,
      `Copy it into ${folder}, or publish yours: ${command}`,
    ];
  return [
    `The published ${field} is ${quoted(published)}, and stays; app.json has ${quoted(described)}: ${why}.`,
    `Write the published text into app.json, or publish yours: ${command}`,
  ];
}

/** The reason of a conflict. */
function reasonFor({ field, published, recorded }: EntryConflict): string {
  if (field === 'appMetadataUrl' && published === recorded) return 'release does not move the versions of a listed app';
  if (recorded === null) return 'it was changed elsewhere';
  return `it was changed elsewhere${field === 'icon' ? '' : `, and was ${quoted(recorded)} before`}`;
}

/** Differences that were there before anything was recorded. */
const OLD_DIFFERENCE = 'it is not known which of them is the newer one';

function optionOf(field: string): string {
  return MANIFEST_FIELDS.find(({ name }) => name === field)?.option.flags.split(' ')[0] ?? '';
}

function quoted(value: string | null): string {
  return value === null ? 'none' : `“${shorten(value, MAX_VALUE)}”`;
}

function selected(apps: readonly ReleasedApp[], isVerbose: boolean): { shown: readonly ReleasedApp[]; left: number } {
  if (isVerbose) return { shown: apps, left: 0 };
  const named = apps.filter(isNamed);
  const shown = named.slice(0, MAX_APPS);
  return { shown, left: named.length - shown.length };
}

function text(value: string): string {
  return safeExcerpt(value, MAX_MESSAGE);
}

function inCell(value: string | null): string {
  return value === null ? '' : cell(code(shorten(value)));
}

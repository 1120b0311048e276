import type { ReleasedApp, ReleaseReport } from '../core/release/report.ts';
import { FAILING_STATES, RELEASE_STATES, type ReleaseState } from '../core/release/state.ts';
import { counted, redact, safeExcerpt, shorten } from '../core/text/text.ts';
import { alignedRows } from './columns.ts';
import { cell, code, prose } from './markdown-text.ts';
import { PLAIN, type Style } from './style.ts';

/** The state of each app of a repository, for people. */

/** The number of apps that are named. */
const MAX_APPS = 100;
const MAX_MESSAGE = 400;

interface Mark {
  mark: string;
  color: 'green' | 'yellow' | 'red' | 'dim';
}

const FAILED: Mark = { mark: '!', color: 'red' };
const MARKS: Record<ReleaseState, Mark> = {
  unchanged: { mark: '=', color: 'dim' },
  new: { mark: '+', color: 'green' },
  changed: FAILED,
  rebuilt: { mark: '~', color: 'yellow' },
  reverted: FAILED,
  behind: FAILED,
  unlisted: FAILED,
  broken: FAILED,
};

/** The number of rebuilt apps that are named in their line. */
const MAX_REBUILT = 10;

/** A table with the messages of each app. Unchanged apps are only counted, and rebuilt ones named, unless `isVerbose`. */
export function releaseAsText(report: ReleaseReport, style: Style = PLAIN, isVerbose = false): string {
  const { shown, left } = selected(report.apps, isVerbose);
  const rebuilt = isVerbose ? null : rebuiltLine(report.apps, text);
  const rebuiltLines = rebuilt === null ? [] : [style.yellow(`~ ${rebuilt}`)];
  if (shown.length === 0) return [...rebuiltLines, releaseSummary(report)].join('\n');
  const rows = shown.map((app) => [app.state, app.key, app.declared ?? '–', app.listed ?? '–'].map(text));
  const [header = '', ...rowLines] = alignedRows([['state', 'app', 'declared', 'highest listed'], ...rows]);
  const lines = [`  ${style.dim(header)}`];
  for (const [index, app] of shown.entries()) {
    const { mark, color } = needsAttention(app) ? FAILED : MARKS[app.state];
    lines.push(`${style[color](mark)} ${style[color](rowLines[index] ?? '')}`);
    const own = app.published && app.advice === null ? [] : [app.message, app.advice];
    for (const part of own) lines.push(...(part?.split('\n') ?? []).map((one) => `    ${text(one.trim())}`));
  }
  if (left > 0) lines.push(style.dim(`… and ${counted(left, 'more app')}; --format json lists them all.`));
  lines.push(...rebuiltLines, '', releaseSummary(report));
  return lines.join('\n');
}

/** `48 apps: 36 unchanged, 11 changed, 1 new`; states without apps are left out. */
export function releaseSummary({ apps, summary }: ReleaseReport): string {
  const parts = RELEASE_STATES.filter((state) => summary[state] > 0).map((state) => `${summary[state]} ${state}`);
  if (summary.published > 0) parts.push(`${summary.published} published`);
  const unrecorded = apps.filter(isUnrecorded).length;
  const notPublished = summary.failed - summary.broken - unrecorded;
  if (notPublished > 0) parts.push(`${notPublished} not published`);
  if (unrecorded > 0) parts.push(`${unrecorded} not recorded`);
  return `${counted(apps.length, 'app')}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
}

/** The release for a comment on a pull request; all text is escaped. */
export function releaseAsMarkdown(report: ReleaseReport): string {
  const changed = report.apps.filter(isNamed);
  const lines = [`### ${prose(releaseSummary(report))}`];
  if (changed.length > 0)
    lines.push('', '| State | App | Declared | Highest listed | |', '| --- | --- | --- | --- | --- |');
  for (const app of changed.slice(0, MAX_APPS)) {
    const remarks = [app.message, app.advice]
      .filter((part) => part !== null)
      .map((part) => shorten(redact(part), MAX_MESSAGE));
    lines.push(
      `| ${needsAttention(app) ? `**${app.state}**` : app.state} | ${inCell(app.key)} | ${inCell(app.declared)} | ${inCell(app.listed)} | ${cell(prose(remarks.join(' ').replaceAll('\n', ' ')))} |`,
    );
  }
  if (changed.length > MAX_APPS) lines.push('', `… and ${counted(changed.length - MAX_APPS, 'more app')}.`);
  const rebuilt = rebuiltLine(report.apps, inCell);
  if (rebuilt !== null) lines.push('', rebuilt);
  return lines.join('\n');
}

/** All rebuilt apps in one line, since an upgrade of a tool rebuilds many, and nobody has to act; null without one. */
function rebuiltLine(apps: readonly ReleasedApp[], shown: (key: string) => string): string | null {
  const keys = apps.flatMap(({ key, state }) => (state === 'rebuilt' ? [key] : []));
  if (keys.length === 0) return null;
  const names = keys.slice(0, MAX_REBUILT).map(shown).join(', ');
  const more = keys.length > MAX_REBUILT ? ` and ${keys.length - MAX_REBUILT} more` : '';
  return `${counted(keys.length, 'app')} rebuilt from the same sources: ${names}${more}. The published versions stay; no action is required.`;
}

/** True for an app that a failing run has to name: also a new version that could not be published. */
export function needsAttention(app: ReleasedApp): boolean {
  const { state, published, advice } = app;
  return FAILING_STATES.includes(state) || (state === 'new' && !published && advice !== null) || isUnrecorded(app);
}

/** True for an app whose version is published, and could not be recorded in the lock file. */
function isUnrecorded({ state, published, advice }: ReleasedApp): boolean {
  return advice !== null && (published || state === 'unchanged');
}

/** True for an app with a row of its own. */
function isNamed(app: ReleasedApp): boolean {
  return (app.state !== 'unchanged' && app.state !== 'rebuilt') || isUnrecorded(app);
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

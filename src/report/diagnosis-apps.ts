import type { Diagnosis } from '../core/engine/diagnosis.ts';
import type { AppVerdict, Finding, Report } from '../core/engine/report.ts';
import { counted, shorten } from '../core/text/text.ts';
import { groupBy } from './group-by.ts';
import { reasonWords, unpublishedApps } from './hidden-apps.ts';
import { evidenceList } from './diagnosis-evidence.ts';

/** What subscribers see of each app, and the reasons for hidden ones, which come first. */

/** Up to this number, visible apps are listed individually; more are counted. */
const MAX_VISIBLE = 5;
/** Up to this number, hidden apps with the same reason are listed individually. */
const MAX_HIDDEN = 3;
/** Both, with --verbose. */
const MAX_VERBOSE = 200;

/** One line per app, or per group of apps. */
export function appLines(report: Report, diagnosis: Diagnosis, verbose: boolean): string[] {
  const reasons = reasonsBy(report.findings);
  const unpublished = unpublishedApps(report.findings);
  const unlisted = report.apps.filter((app) => app.because.includes('app-not-listed'));
  const hidden = report.apps.filter((app) => app.visible === false && !unlisted.includes(app));
  const unknown = report.apps.filter((app) => app.visible === null);
  const visible = report.apps.filter((app) => app.visible === true);
  const lines = [
    ...unlisted.map((app) => `${nameOf(app)}: not in the manifest`),
    ...groupedByReason(hidden, verbose, 'hidden, because', reasons, unpublished),
    ...groupedByReason(unknown, verbose, 'not known, because', reasons, unpublished).map(
      (line) => line + unlistedVersion(report, diagnosis),
    ),
  ];
  const limit = visible.length <= MAX_VISIBLE ? MAX_VISIBLE : 0;
  const listed = visible.slice(0, verbose ? MAX_VERBOSE : limit);
  for (const app of listed) lines.push(`${nameOf(app)}: visible, latest ${versionOf(app, diagnosis, report)}`);
  const more = visible.length - listed.length;
  if (more > 0) lines.push(counted(more, listed.length > 0 ? 'more visible app' : 'visible app'));
  return lines;
}

/** Continues a line about an app if the requested version is not listed. */
function unlistedVersion({ findings }: Report, { requested }: Diagnosis): string {
  const isUnlisted = findings.some(({ rule }) => rule === 'version-not-listed');
  return isUnlisted && requested?.version ? `; ${shorten(requested.version, 60)} is not listed` : '';
}

/** One line per app, or one line for all apps with the same reason if there are many. */
function groupedByReason(
  apps: readonly AppVerdict[],
  verbose: boolean,
  start: string,
  reasons: ReadonlyMap<string, string>,
  unpublished: ReadonlySet<string>,
): string[] {
  const groups = groupBy(apps, (app) => `${unpublished.has(app.key)} ${whyUnknown(app)} ${app.because.join(', ')}`);
  const lines: string[] = [];
  for (const group of groups.values()) {
    const limit = verbose ? MAX_VERBOSE : MAX_HIDDEN;
    const [first] = group;
    if (group.length <= limit)
      for (const app of group) lines.push(`${nameOf(app)}: ${start} ${reasonOf(app, reasons, unpublished)}`);
    else {
      const named = group.slice(0, limit).map(nameOf);
      const reason = first.because.length === 0 ? whyUnknown(first) : reasonWords(first, unpublished);
      lines.push(`${counted(group.length, 'app')} ${start} ${reason}: ${named.join(', ')}, …`);
    }
  }
  return lines;
}

function nameOf(app: AppVerdict): string {
  return app.key === '' ? '(empty key)' : shorten(app.key, 60);
}

function versionOf(app: AppVerdict, { requested }: Diagnosis, report: Report): string {
  const latest = shorten(app.latest ?? 'unknown', 60);
  if (requested === null || requested.version === null) return latest;
  const version = shorten(requested.version, 60);
  const own = report.findings.filter(
    (f) => f.app === app.key && f.version === requested.version && f.severity === 'error',
  );
  if (own.some((finding) => finding.rule === 'version-not-listed')) return `${latest}; ${version} is not listed`;
  return own.length === 0
    ? `${latest}; ${version} is listed`
    : `${latest}; ${version} is listed, with ${counted(own.length, 'error')}`;
}

/** The first error of each rule about each app. */
function reasonsBy(findings: readonly Finding[]): Map<string, string> {
  const reasons = new Map<string, string>();
  for (const { rule, app, evidence, message, severity } of findings) {
    if (severity === 'note') continue;
    const also = evidenceList(evidence, 'alsoApps');
    for (const key of app === null ? also : [app, ...also])
      if (!reasons.has(`${rule} ${key}`)) reasons.set(`${rule} ${key}`, message);
  }
  return reasons;
}

/** Why it is not known whether an app is visible, if no finding is the reason. */
function whyUnknown({ latest }: AppVerdict): string {
  return latest === null ? 'it could not be checked' : 'its artifacts were not checked';
}

function reasonOf(app: AppVerdict, reasons: ReadonlyMap<string, string>, unpublished: ReadonlySet<string>): string {
  if (unpublished.has(app.key)) return reasonWords(app, unpublished);
  const [rule] = app.because;
  if (rule === undefined) return whyUnknown(app);
  const more = app.because.length > 1 ? `, ${app.because.slice(1).join(', ')}` : '';
  const message = reasons.get(`${rule} ${app.key}`);
  return message === undefined ? `of ${app.because.join(', ')}` : `of ${rule}${more}: ${shorten(message, 100)}`;
}

import { counted, shorten } from '../core/text/text.ts';
import type { Diagnosis } from '../core/engine/diagnosis.ts';
import type { Report, AppVerdict, Finding } from '../core/findings/report.ts';
import { resourceName } from '../core/facts/resource-kind.ts';
import { formatDuration } from '../core/text/format-duration.ts';
import { evidenceList, type SymptomView, type View } from './diagnosis-evidence.ts';
import { reasonWords, uncountedNumbers, unpublishedApps } from './report-text.ts';
import { groupBy } from './words.ts';

/** The end of a diagnosis: what to check next if no finding explains a failure, and a line to quote. */

/** Other possible causes, if no finding explains a failure, or if what was requested is not listed. */
export function nextOf(report: Report, symptoms: readonly SymptomView[], diagnosis: Diagnosis): View['next'] {
  const lag = lagOf(diagnosis);
  if (report.findings.some((f) => f.rule === 'app-not-listed' || f.rule === 'version-not-listed'))
    return lag === null ? null : { title: 'If it was published recently', lines: [`${lag}.`] };
  if (report.outcome === 'incomplete' || report.summary.errors > 0) return null;
  const suspicions = symptoms.flatMap(({ status, causes }) =>
    status === 'suspected' ? causes.filter(({ severity }) => severity === 'warning') : [],
  );
  const isForBrowsers = diagnosis.origins.length === 0;
  const isExplained =
    isForBrowsers && suspicions.length > 0 && suspicions.every(({ rule }) => rule === 'cors-origin-refused');
  return {
    title: titleOf(suspicions.length, isExplained, symptoms),
    lines: [
      ...(diagnosis.requested === null
        ? ['One app: --app <key> explains why it is missing, and --version <version> why that version is missing.']
        : []),
      ...(lag === null ? [] : [`${lag}.`]),
      `The subscription: is its URL exactly ${report.target}, and is it in the right organization?`,
      'The service: its logs say why a refresh failed. Can it reach the host as this machine can (firewall, proxy, private network)?',
      ...(isForBrowsers && !isExplained
        ? ['Browsers: run again with --origin <the service’s origin> to check whether its pages may read the files.']
        : []),
    ],
  };
}

function titleOf(suspicions: number, isExplained: boolean, symptoms: readonly SymptomView[]): string {
  const above = `${counted(suspicions, 'suspected cause')} above`;
  if (isExplained)
    return `${above}: run again with --origin <the service’s origin> to confirm or exclude ${suspicions === 1 ? 'it' : 'them'}. What else to check`;
  const next = 'What to check next';
  // Without an error: an app without a published version yet.
  if (symptoms.some(({ status }) => status === 'confirmed'))
    return `The confirmed causes${suspicions > 0 ? ` and ${counted(suspicions, 'suspected one')}` : ''} are above; no other cause is known. ${next}`;
  if (suspicions > 0) return `${above}; no other cause is known. ${next}`;
  if (symptoms.every(({ status }) => status === 'clear')) return `No problems in what was checked. ${next}`;
  return `No cause is known. ${next}`;
}

const HOUR = 3600;

/** The time for which subscribers may see the previous state, in words; null if unknown. */
function lagOf({ copies }: Diagnosis): string | null {
  if (copies.length === 0) return null;
  // Reported elsewhere: an old copy says nothing about later changes.
  if (copies.some((copy) => copy.age > HOUR && copy.lifetime !== 0)) return null;
  const longest = copies.reduce((one, other) => ((other.lifetime ?? 0) > (one.lifetime ?? 0) ? other : one));
  const lifetime = longest.lifetime ?? 0;
  const unlimited = copies.find((copy) => copy.lifetime === null);
  const aged = copies.find((copy) => copy.age > 0);
  return [
    lifetime === 0
      ? 'The service checks hourly, so a change made less than 1 hour ago may not be visible yet'
      : `The service checks hourly, and caches may store the ${resourceName(longest.resource)} for ${formatDuration(lifetime)}, so a change made less than ${formatDuration(HOUR + lifetime)} ago may not be visible yet`,
    ...(unlimited ? [`the ${resourceName(unlimited.resource)} has no lifetime, so caches guess one`] : []),
    ...(aged
      ? [`the ${resourceName(aged.resource)} received here was a cached copy, ${formatDuration(aged.age)} old`]
      : []),
  ].join('; ');
}

/** Registry, time, tool and counts, to be quoted. */
export function closingOf(report: Report, { seenAt, saved, proxy, requested }: Diagnosis): string[] {
  const { errors, warnings } = report.summary;
  const others = uncountedNumbers(report.findings);
  const found = `${counted(errors, 'error')}, ${counted(warnings, 'warning')}${others === '' ? '' : `, ${others}`}`;
  return [
    report.target,
    `${saved ? 'saved ' : ''}${seenAt.slice(0, 19).replace('T', ' ')} UTC`,
    ...(proxy === null ? [] : [`through the proxy ${proxy}`]),
    `appreg ${report.tool.version}`,
    coverageOf(report, requested?.version ?? null),
    report.outcome === 'incomplete' ? `incomplete: ${found} so far` : found,
  ];
}

/** The part of the registry that the diagnosis covers: what is listed may differ from what was requested. */
function coverageOf({ summary, findings }: Report, version: string | null): string {
  const { apps, versions } = summary;
  const listed = findings.find(({ rule }) => rule === 'app-not-listed')?.evidence['listed'];
  if (apps === 0 && typeof listed === 'number') return `${counted(listed, 'app')} listed`;
  if (version === null) return `${counted(apps, 'app')}, ${counted(versions, 'version')}`;
  if (findings.some(({ rule }) => rule === 'version-not-listed'))
    return `${counted(apps, 'app')}, ${counted(versions, 'version')} listed`;
  return `${counted(apps, 'app')}, ${versions === apps ? counted(versions, 'version') : `${apps} of ${counted(versions, 'version')}`}`;
}

/** The visible version of each app, and the reasons for hidden ones, which come first. */

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
  const suspected = suspectedApps(report);
  for (const app of listed) {
    const line = `${nameOf(app)}: visible, latest ${versionOf(app, diagnosis, report)}`;
    lines.push(suspected.has(app.key) ? `${line}; a suspected cause above may hide it from other subscribers` : line);
  }
  const more = visible.length - listed.length;
  if (more > 0) lines.push(counted(more, listed.length > 0 ? 'more visible app' : 'visible app'));
  return lines;
}

/** The apps that findings may hide from some subscribers, although they were visible to this run. */
function suspectedApps({ findings }: Report): Set<string> {
  const about = findings.filter(({ symptom, severity }) => symptom === 'app-does-not-appear' && severity !== 'note');
  return new Set(
    about.flatMap(({ app, evidence }) => [...(app === null ? [] : [app]), ...evidenceList(evidence, 'alsoApps')]),
  );
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

/** The reason why the visibility of an app is unknown, if no finding is the reason. */
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

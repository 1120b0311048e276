import { actorOf, firstStep } from '../core/actor.ts';
import type { Diagnosis } from '../core/diagnosis.ts';
import type { Finding, Report, Severity, Symptom, SymptomStatus } from '../core/report.ts';
import { SYMPTOM_OF_ROLE } from '../core/report.ts';
import { rules } from '../core/rules/index.ts';
import { shorten } from '../core/text.ts';
import { hostOf } from '../core/visit.ts';
import { appLines } from './diagnosis-apps.ts';
import { evidenceOf, placeOf, type ViewOptions } from './diagnosis-evidence.ts';
import { grouped } from './grouped.ts';
import { isFailure } from './run.ts';
import { count, symptomName } from './words.ts';

/** A diagnosis in words, before any layout: what stands under each symptom, and what is to be said at the end. */

export interface Cause {
  severity: Severity;
  rule: string;
  message: string;
  /** The apps and versions it is about, or null. */
  about: string | null;
  who: string;
  seen: string;
  next: string;
}

export interface SymptomView {
  title: string;
  status: SymptomStatus['status'];
  causes: Cause[];
  /** One line each: what was checked, why it was not, how many causes are left out. */
  remarks: string[];
}

export interface View {
  symptoms: SymptomView[];
  /** What belongs to no symptom. */
  besides: SymptomView | null;
  apps: string[];
  /** What to look at next, where nothing explains a failure; or null. */
  next: { title: string; lines: string[] } | null;
  /** Why something was not looked at. */
  unseen: string[];
  /** Registry, time, tool and counts, to be quoted. */
  closing: string;
}

// So many causes of one symptom are told without --verbose: more are no matter for a call.
const TOLD = 3;
const MANY = 50;

export function viewOf(report: Report, about: Diagnosis, options: ViewOptions): View {
  const { verbose } = options;
  const weighty = report.findings.filter((finding) => finding.severity !== 'note');
  const quiet = verbose ? report.findings : weighty;
  const besides = causesOf(
    quiet.filter((finding) => finding.symptom === null),
    options,
  );
  return {
    symptoms: report.symptoms.map((symptom) => symptomView(symptom, report, quiet, options)),
    besides: besides.causes.length === 0 ? null : { title: 'Besides', status: 'clear', ...besides },
    apps: appLines(report, about, verbose),
    next: nextOf(report, about),
    unseen: unseenOf(report, verbose),
    closing: closingOf(report, about),
  };
}

function symptomView(
  { id, status }: SymptomStatus,
  report: Report,
  findings: readonly Finding[],
  options: ViewOptions,
): SymptomView {
  const { causes, remarks } = causesOf(
    findings.filter((finding) => finding.symptom === id),
    options,
  );
  if (status === 'clear') remarks.unshift(checkedOf(id, report));
  if (status === 'not-judged') remarks.unshift(...reasonsOf(id, report));
  if (id === 'app-does-not-appear' && status === 'confirmed') {
    const told = new Set(findings.filter((finding) => finding.symptom === id).map((finding) => finding.rule));
    const elsewhere = report.apps.filter((app) => app.visible === false && !app.because.some((rule) => told.has(rule)));
    if (elsewhere.length > 0) remarks.push(`${count(elsewhere.length, 'app')} hidden by what is told elsewhere here.`);
  }
  return { title: symptomName(id), status, causes, remarks };
}

/** One cause per rule, cause and whoever has to act, errors first and then by how much they hit. */
function causesOf(findings: readonly Finding[], options: ViewOptions): { causes: Cause[]; remarks: string[] } {
  const groups = grouped(findings, (finding) => {
    const actor = actorOf(finding);
    const host = actor === 'author' || actor === 'service' ? '' : hostIn(finding);
    return [finding.severity, finding.rule, finding.cause, actor, host].join(' ');
  });
  const weight: Record<Severity, number> = { error: 0, warning: 1, note: 2 };
  const sorted = [...groups.values()].toSorted(
    (a, b) => weight[a[0]!.severity] - weight[b[0]!.severity] || hits(b) - hits(a),
  );
  const told = sorted.slice(0, options.verbose ? MANY : TOLD);
  const more = sorted.length - told.length;
  return {
    causes: told.map((group) => causeOf(group, options)),
    remarks:
      more === 0
        ? []
        : [`… and ${count(more, 'more cause')}; ${options.verbose ? '--format json' : '--verbose'} tells them.`],
  };
}

function causeOf(group: readonly Finding[], options: ViewOptions): Cause {
  const [first] = group as [Finding];
  const lead = firstStep(first);
  return {
    severity: first.severity,
    rule: first.rule,
    message: first.message,
    about: aboutOf(group),
    who: whoOf(first),
    seen: [placeOf(first), ...evidenceOf(first, options)].join(' · '),
    next: lead === null ? first.advice : `${lead} ${first.advice}`,
  };
}

function hits(group: readonly Finding[]): number {
  return group.reduce((sum, finding) => sum + 1 + Number(finding.evidence['alsoHit'] ?? 0), 0);
}

/** `app-a 2.0.0`, or `40 files of 12 apps: app-a, app-b, app-c, …`. */
function aboutOf(group: readonly Finding[]): string | null {
  const [first] = group as [Finding];
  const all = hits(group);
  if (all === 1) return [first.app, first.version].filter((name) => name !== null).join(' ') || null;
  const apps = new Set<string>();
  for (const { app, evidence } of group) {
    if (app !== null) apps.add(app);
    if (Array.isArray(evidence['alsoApps'])) for (const also of evidence['alsoApps'] as string[]) apps.add(also);
  }
  if (apps.size === 0) return `${all} times`;
  const named = [...apps].slice(0, 3).map((app) => shorten(app, 40));
  const list = `${named.join(', ')}${apps.size > 3 ? ', …' : ''}`;
  return apps.size === 1 ? `${all} times in ${list}` : `${all} times in ${count(apps.size, 'app')}: ${list}`;
}

function hostIn(finding: Finding): string {
  const asked = finding.evidence['asked'] ?? finding.url;
  return typeof asked === 'string' ? hostOf(asked) : '';
}

function whoOf(finding: Finding): string {
  const host = hostIn(finding) || 'the registry';
  const by = finding.evidence['servedBy'];
  const product = typeof by === 'string' ? ` (${shorten(by, 40)})` : '';
  const copy = finding.evidence['fromCache'];
  switch (actorOf(finding)) {
    case 'author':
      return finding.rule === 'unreachable' && finding.resource === 'manifest'
        ? 'the author: the registry’s files, or the URL that it is subscribed with'
        : 'the author: the registry’s files';
    case 'host':
      return `the host ${host}${product}`;
    case 'cache':
      return `the CDN or cache in front of ${host}${product}${typeof copy === 'string' ? `: ${shorten(copy, 80)}` : ''}`;
    case 'network':
      return `the network between here and ${host}: DNS, proxy, firewall or TLS interception`;
    case 'service':
      return 'the service: its operator';
  }
}

/** What a clear symptom was clear of. */
function checkedOf(id: Symptom, { summary, findings }: Report): string {
  const hidden = findings.some((finding) => finding.symptom === id) ? ' (there are notes: --verbose)' : '';
  switch (id) {
    case 'registry-does-not-refresh':
      return `The manifest is reachable over HTTPS, valid, allowed to browsers, and not held by caches for long${hidden}.`;
    case 'checksum-mismatch':
      return summary.artifacts === 0
        ? 'There are no artifacts to download.'
        : `${count(summary.artifacts, 'artifact')} downloaded and hashed: the SHA-256 is the listed one${hidden}.`;
    case 'icon-does-not-display':
      return summary.apps === 0
        ? 'There are no icons: no app is listed.'
        : `The icons are reachable over HTTPS, allowed to browsers, and PNG or SVG${hidden}.`;
    case 'app-does-not-appear':
      return summary.apps === 0
        ? 'No app is listed.'
        : `Keys are URL-safe, metadata files reachable, and their versions valid${hidden}.`;
  }
}

const SYMPTOM_OF_RULE = new Map(rules.map((rule) => [rule.id, rule.symptom]));

/** Why a symptom could not be judged: two reasons at most. */
function reasonsOf(id: Symptom, report: Report): string[] {
  const reasons = new Set<string>();
  for (const entry of report.notJudged) {
    const { rule, resource, reason } = entry;
    const symptom = SYMPTOM_OF_RULE.get(rule);
    const own = symptom === 'by-resource' ? (resource === null ? null : SYMPTOM_OF_ROLE[resource]) : symptom;
    if (isFailure(entry) || own === id) reasons.add(reason);
  }
  const told = [...reasons].filter((reason) => !ASIDE.test(reason)).slice(0, 2);
  const blocked = report.findings.find((finding) => finding.resource === 'manifest' && finding.severity === 'error');
  if (id === 'checksum-mismatch' && report.findings.some((finding) => finding.rule === 'version-not-listed'))
    return ['Of a version that is not listed there is no artifact to look at.'];
  if (told.length === 0)
    return [blocked ? `Not looked at, because of ${blocked.rule}.` : 'Nothing was looked at that would tell.'];
  return told.map((reason) => `Not looked at: ${inWords(reason)}`);
}

/** Reasons that nobody asks about: what was not asked for, and what is asked of one file for many. */
const ASIDE = /^(no earlier state was given|asked of one artifact|its version is not among those)/;

function inWords(reason: string): string {
  const rule = /^because of ([a-z0-9-]+)$/.exec(reason)?.[1];
  return rule === undefined ? `${reason}.` : `${rule} stands in the way.`;
}

function unseenOf(report: Report, verbose: boolean): string[] {
  const reasons = new Map<string, number>();
  for (const { reason } of report.notJudged) {
    if (!verbose && (ASIDE.test(reason) || reason.includes('because of '))) continue;
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const sorted = [...reasons].toSorted((a, b) => b[1] - a[1]).slice(0, verbose ? 20 : 3);
  return sorted.map(([reason, checks]) => (checks === 1 ? reason : `${reason} (${count(checks, 'check')})`));
}

/** How long after a change subscribers may see the state before it, in words; null when nobody can say. */
function lagOf({ copies }: Diagnosis): string | null {
  if (copies.length === 0) return null;
  const longest = Math.max(...copies.map((copy) => copy.lifetime ?? 0));
  const open = copies.find((copy) => copy.lifetime === null);
  const aged = copies.find((copy) => copy.age > 0);
  return [
    longest === 0
      ? 'The service looks every hour, so a change made less than 1 hour ago may not be seen yet'
      : `The service looks every hour and caches may hold the ${copies.find((copy) => copy.lifetime === longest)!.role} for ${span(longest)}, so a change made less than ${span(3600 + longest)} ago may not be seen yet`,
    ...(open ? [`for the ${open.role} no lifetime is told, so caches guess one`] : []),
    ...(aged ? [`the ${aged.role} seen here was a copy of ${span(aged.age)}`] : []),
  ].join('; ');
}

function span(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return minutes === 60 ? '1 hour' : `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours >= 48) return `${Math.round(hours / 24)} days`;
  return rest === 0 ? `${hours} hours` : `${hours} h ${rest} min`;
}

/** Where nothing explains a failure, or what was asked for is not listed, what else it may be. */
function nextOf(report: Report, about: Diagnosis): View['next'] {
  const lag = lagOf(about);
  if (report.findings.some((f) => f.rule === 'app-not-listed' || f.rule === 'version-not-listed'))
    return lag === null ? null : { title: 'If it was published a short while ago', lines: [`${lag}.`] };
  if (report.outcome === 'incomplete' || report.summary.errors > 0) return null;
  const sound = report.symptoms.every(({ status }) => status === 'clear');
  return {
    title: `${sound ? 'Nothing is wrong with what was looked at' : 'Nothing is known here that stops it'}. What to look at next`,
    lines: [
      ...(lag === null ? [] : [`${lag}.`]),
      `The subscription: is its URL exactly ${report.target}, and is it in the right organization?`,
      'The service: its log says why a refresh failed. Can it reach the host as this machine does (firewall, proxy, private network)?',
      ...(about.origins.length === 0
        ? ['Browsers: run it again with --origin <the service’s origin>, to be sure that its pages may read the files.']
        : []),
      ...(about.asked === null
        ? ['One app: --app <key> tells why it is not there, and --version <version> why that version is not.']
        : []),
    ],
  };
}

function closingOf(report: Report, { seenAt, saved, proxy }: Diagnosis): string {
  const { errors, warnings } = report.summary;
  const time = `${seenAt.slice(0, 19).replace('T', ' ')} UTC`;
  const found = `${count(errors, 'error')}, ${count(warnings, 'warning')}`;
  return [
    report.target,
    `${saved ? 'saved ' : ''}${time}`,
    ...(proxy === null ? [] : [`over the proxy ${proxy}`]),
    `appreg ${report.tool.version}`,
    `${count(report.summary.apps, 'app')}, ${count(report.summary.versions, 'version')}`,
    report.outcome === 'incomplete' ? `incomplete: ${found} so far` : found,
  ].join(' · ');
}

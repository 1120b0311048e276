import { ownerOf } from '../core/engine/owner.ts';
import type { Diagnosis } from '../core/engine/diagnosis.ts';
import type { Finding, Report, Severity, Symptom, SymptomStatus } from '../core/engine/report.ts';
import { SYMPTOM_OF_KIND } from '../core/engine/report.ts';
import type { ResourceKind } from '../core/facts/facts.ts';
import type { NotJudgedCode } from '../core/facts/missing.ts';
import { rules } from '../core/rules/index.ts';
import { shorten } from '../core/text/text.ts';
import { appLines } from './diagnosis-apps.ts';
import { evidenceList, evidenceOf, placeOf, type Pair, type ViewOptions } from './diagnosis-evidence.ts';
import { closingOf, nextOf } from './diagnosis-next.ts';
import type { Cause, SymptomView, View } from './diagnosis-types.ts';
import { hostIn, whoOf } from './diagnosis-who.ts';
import { type Group, groupBy } from './group-by.ts';
import { isFailure } from './incomplete.ts';
import { count, symptomName } from './words.ts';

/** A diagnosis as text, independent of layout: the causes of each symptom, and the closing lines. */

/** Causes listed per symptom, without and with --verbose. */
const MAX_CAUSES = 3;
const MAX_CAUSES_VERBOSE = 50;
/** Other locations listed per cause, without and with --verbose. */
const MAX_LOCATIONS = 4;
const MAX_LOCATIONS_VERBOSE = 20;

export function viewOf(report: Report, about: Diagnosis, options: ViewOptions): View {
  const { verbose } = options;
  const { symptoms, besides } = symptomsOf(report, options);
  return {
    symptoms,
    besides,
    apps: appLines(report, about, verbose),
    next: nextOf(report, symptoms, about),
    unseen: unseenOf(report, verbose),
    closing: closingOf(report, about),
  };
}

/** The part derived from the report only: each symptom with its causes, and the findings that belong to none. */
export function symptomsOf(report: Report, options: ViewOptions): Pick<View, 'symptoms' | 'besides'> {
  const weighty = report.findings.filter((finding) => finding.severity !== 'note');
  const quiet = options.verbose ? report.findings : weighty;
  const besides = causesOf(
    quiet.filter((finding) => finding.symptom === null),
    options,
  );
  return {
    symptoms: report.symptoms.map((symptom) => symptomView(symptom, report, quiet, options)),
    besides: besides.causes.length === 0 ? null : { title: 'Besides', status: 'clear', gist: null, ...besides },
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
  let gist: string | null = null;
  if (status === 'clear') gist = checkedOf(id, report, options);
  if (status === 'not-judged') gist = reasonsOf(id, report);
  if (id === 'app-does-not-appear' && status === 'confirmed') {
    const reported = new Set(findings.filter((finding) => finding.symptom === id).map((finding) => finding.rule));
    const elsewhere = report.apps.filter(
      (app) => app.visible === false && !app.because.some((rule) => reported.has(rule)),
    );
    if (elsewhere.length > 0)
      remarks.push(`${count(elsewhere.length, 'app')} hidden by problems listed under other symptoms.`);
  }
  return { title: symptomName(id), status, gist, causes, remarks };
}

/** One cause per rule, cause and responsible party: errors first, then by the number of affected items. */
export function causesOf(all: readonly Finding[], options: ViewOptions): Pick<SymptomView, 'causes' | 'remarks'> {
  const left = withoutVersions(all);
  const findings = all.filter((finding) => finding.rule !== 'no-valid-versions' || !left.has(finding.app));
  const groups = groupBy(findings, (finding) => {
    const actor = ownerOf(finding);
    const host = actor === 'author' || actor === 'service' ? '' : hostIn(finding);
    const empty = finding.rule === 'version-not-semver' && left.has(finding.app);
    return [finding.severity, finding.rule, finding.cause, actor, host, empty].join(' ');
  });
  const weight: Record<Severity, number> = { error: 0, warning: 1, note: 2 };
  const sorted = [...groups.values()].toSorted(
    (a, b) => weight[a[0].severity] - weight[b[0].severity] || hits(b) - hits(a),
  );
  const listed = sorted.slice(0, options.verbose ? MAX_CAUSES_VERBOSE : MAX_CAUSES);
  const more = sorted.length - listed.length;
  return {
    causes: listed.map((group) => causeOf(group, left, options)),
    remarks:
      more === 0
        ? []
        : [
            options.page === true
              ? `… and ${count(more, 'more cause')}.`
              : `… and ${count(more, 'more cause')}; ${options.verbose ? '--format json' : '--verbose'} lists them.`,
          ],
  };
}

/** The apps left without a valid version, if their invalid version strings are reported: one error, reported once. */
function withoutVersions(findings: readonly Finding[]): Set<string | null> {
  const wrong = new Set(findings.filter(({ rule }) => rule === 'version-not-semver').map(({ app }) => app));
  const none = findings.filter(({ rule, cause }) => rule === 'no-valid-versions' && cause === 'all-invalid');
  return new Set(none.map(({ app }) => app).filter((app) => wrong.has(app)));
}

function causeOf(group: Group<Finding>, left: ReadonlySet<string | null>, options: ViewOptions): Cause {
  const [first] = group;
  const empty = first.rule === 'version-not-semver' && left.has(first.app);
  return {
    severity: first.severity,
    rule: first.rule,
    message: empty ? `${first.message.replace(/\.$/, '')}, so no valid version is left.` : first.message,
    about: aboutOf(group),
    who: whoOf(first),
    place: placeOf(first),
    seen: evidenceOf(first, options),
    also: alsoOf(group, options),
    next: first.advice,
  };
}

/** The other locations of a cause, and their fix if it differs. */
function alsoOf([first, ...others]: readonly Finding[], options: ViewOptions): string[] {
  if (others.length > MAX_LOCATIONS && !options.verbose) return [];
  const lines = others.slice(0, MAX_LOCATIONS_VERBOSE).map((finding) => {
    const place = placeOf(finding);
    const known = `${first!.url ?? first!.file} `;
    const seen = evidenceOf(finding, options).slice(0, 2);
    const pairs = seen.filter(([name]) => finding.evidence[name] !== first!.evidence[name]).map(pairText);
    const next = finding.advice === first!.advice || finding.advice.length > 60 ? '' : `: ${finding.advice}`;
    return `${[place.startsWith(known) ? place.slice(known.length) : place, ...pairs].join(' · ')}${next}`;
  });
  if (others.length > MAX_LOCATIONS_VERBOSE)
    lines.push(`… and ${others.length - MAX_LOCATIONS_VERBOSE} more; --format json has them.`);
  return lines;
}

export function pairText([name, value]: Pair): string {
  return name === '' ? value : `${name} ${value}`;
}

function hits(group: readonly Finding[]): number {
  return group.reduce((sum, finding) => sum + 1 + Number(finding.evidence['alsoHit'] ?? 0), 0);
}

/** `app-a 2.0.0`, or `40 files of 12 apps: app-a, app-b, app-c, …`. */
function aboutOf(group: Group<Finding>): string | null {
  const [first] = group;
  const all = hits(group);
  if (all === 1) return [first.app, first.version].filter((name) => name !== null).join(' ') || null;
  const apps = new Set<string>();
  for (const { app, evidence } of group) {
    if (app !== null) apps.add(app);
    for (const also of evidenceList(evidence, 'alsoApps')) apps.add(also);
  }
  if (apps.size === 0) return `${all} times`;
  const named = [...apps].slice(0, 3).map((app) => shorten(app, 40));
  const list = `${named.join(', ')}${apps.size > 3 ? ', …' : ''}`;
  return apps.size === 1 ? `${all} times in ${list}` : `${all} times in ${count(apps.size, 'app')}: ${list}`;
}

/** What was checked for a symptom without causes. */
function checkedOf(id: Symptom, { summary, findings, target }: Report, { verbose, page }: ViewOptions): string {
  const notes = !verbose && page !== true && findings.some((finding) => finding.symptom === id && !isUsual(finding));
  return `${soundOf(id, summary, /^http:/i.test(target) ? 'reachable' : 'reachable over HTTPS')}${notes ? '; there are notes: --verbose' : ''}`;
}

function soundOf(id: Symptom, { apps, artifacts }: Report['summary'], reachable: string): string {
  switch (id) {
    case 'registry-does-not-refresh':
      return `the manifest is ${reachable}, valid, readable by browsers, not cached for long`;
    case 'checksum-mismatch':
      return artifacts === 0
        ? 'there are no artifacts to download'
        : `${count(artifacts, 'artifact')} downloaded and hashed: the SHA-256 matches`;
    case 'icon-does-not-display':
      return apps === 0 ? 'no app is listed' : `${reachable}, readable by browsers, PNG or SVG`;
    case 'app-does-not-appear':
      return apps === 0 ? 'no app is listed' : 'keys URL-safe, metadata files reachable, versions valid';
  }
}

/** Notes without new information: every origin is allowed, and the user's own --ca. */
function isUsual({ rule, cause, evidence }: Finding): boolean {
  return (
    rule === 'cors-wildcard' || (rule === 'tls-untrusted' && cause === 'private-ca' && evidence['authority'] === '--ca')
  );
}

const SYMPTOM_OF_RULE = new Map(rules.map((rule) => [rule.id, rule.symptom]));

/** The symptom of a rule that was not judged, which may depend on the resource; null if it has none. */
function symptomOf(rule: string, resource: ResourceKind | null): Symptom | null {
  const symptom = SYMPTOM_OF_RULE.get(rule) ?? null;
  if (symptom !== 'by-resource') return symptom;
  return resource === null ? null : SYMPTOM_OF_KIND[resource];
}

const CHECKSUM_RULE = 'artifact-checksum-mismatch';

/** Why a symptom could not be judged: two reasons at most. */
function reasonsOf(id: Symptom, report: Report): string {
  const reasons = new Set<string>();
  const silenced = new Set<string>();
  const old = report.notJudged.find(({ code }) => code === 'stale-copy');
  if (old !== undefined && id !== 'registry-does-not-refresh') reasons.add(old.reason);
  for (const entry of report.notJudged) {
    const { rule, resource, reason, code } = entry;
    if (SELF_EXPLANATORY.has(code)) continue;
    const own = symptomOf(rule, resource);
    if (own === id && code === 'turned-off') silenced.add(`${rule}: ${reason}`);
    else if (isFailure(entry) || own === id) reasons.add(reason);
  }
  const shown = [...silenced, ...reasons].slice(0, 2);
  const blocked = report.findings.find((finding) => finding.resource === 'manifest' && finding.severity === 'error');
  if (id === 'checksum-mismatch' && report.findings.some((finding) => finding.rule === 'version-not-listed'))
    return 'a version that is not listed has no artifact to check';
  if (shown.length === 0) return blocked ? `because of ${blocked.rule}` : 'nothing was checked that would show it';
  const { artifacts } = report.summary;
  const isHashed = !report.notJudged.some((entry) => entry.rule === CHECKSUM_RULE && entry.code === 'turned-off');
  const right =
    id === 'checksum-mismatch' && artifacts > 0 && isHashed
      ? `; ${count(artifacts, 'artifact')} with the right checksum`
      : '';
  return `${shown.join('; ')}${right}`;
}

/** Reasons that need no explanation: what was not requested, and what is checked for a single file only. */
const SELF_EXPLANATORY: ReadonlySet<NotJudgedCode> = new Set(['no-baseline', 'once-per-host', 'version-not-requested']);

/** What is shown only with --verbose: the finding that blocks a check, or the age of a copy, is reported elsewhere. */
const DETAILS: ReadonlySet<NotJudgedCode> = new Set([...SELF_EXPLANATORY, 'blocked-by', 'stale-copy']);

/** Why something was not observed, starting with what prevented most checks. */
export function unseenOf(report: Report, verbose: boolean): string[] {
  const reasons = new Map<string, number>();
  for (const entry of report.notJudged) {
    if (!verbose && DETAILS.has(entry.code)) continue;
    const { reason } = entry;
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const sorted = [...reasons].toSorted((a, b) => b[1] - a[1]).slice(0, verbose ? 20 : 3);
  return sorted.map(([reason, checks]) => (checks === 1 ? reason : `${reason} (${count(checks, 'check')})`));
}

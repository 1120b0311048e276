import type { Finding, NotJudged, Report } from '../core/engine/report.ts';
import type { AnyRule } from '../core/rules/rule.ts';
import { rules } from '../core/rules/index.ts';
import type { RenderOptions } from './options.ts';

/** Which rules were evaluated where, as far as a report shows: on the registry as a whole, and on each app. */

export interface Suite {
  /** Null for the registry as a whole. */
  app: string | null;
  /** Ids of the rules that were evaluated here, in reporting order. */
  rules: string[];
  findings: Finding[];
  notJudged: NotJudged[];
}

/** The suite of the registry, then one per app. */
export function suitesOf(report: Report, severities: RenderOptions['severities']): Suite[] {
  const active = rules.filter((rule) => severities[rule.id] !== 'off' && isEvaluated(rule, report));
  // Applies to the whole run: reported as skipped once, not in every app.
  const everywhere = new Set(report.notJudged.filter(isAboutWholeRun).map(({ rule }) => rule));
  const ofRegistry = active.filter((rule) => everywhere.has(rule.id) || isEvaluatedOnRegistry(rule, report));
  const ofApps = active.filter((rule) => !ON_MANIFEST.has(rule.on) && !everywhere.has(rule.id));
  const registry = suite(null, ofRegistry);
  const suites = new Map<string, Suite>();
  const suiteOf = (app: string | null): Suite => {
    if (app === null) return registry;
    const known = suites.get(app);
    if (known) return known;
    const added = suite(app, ofApps);
    suites.set(app, added);
    return added;
  };
  const about = [...report.findings, ...report.notJudged];
  const withVersions = new Set(about.flatMap(({ app, version }) => (app !== null && version !== null ? [app] : [])));
  for (const { key, latest } of report.apps) {
    // Without a valid version, no rule is known to have been evaluated on a version or its artifact.
    const hasVersions = latest !== null || withVersions.has(key);
    suites.set(key, suite(key, hasVersions ? ofApps : ofApps.filter((rule) => !ON_VERSION.has(rule.on))));
  }
  for (const finding of report.findings) suiteOf(isAboutRegistry(finding) ? null : finding.app).findings.push(finding);
  for (const entry of report.notJudged) if (!isCountOnly(entry)) suiteOf(entry.app).notJudged.push(entry);
  // If a rule was not judged too often to list each location, no app is known to have been judged.
  for (const entry of report.notJudged.filter(isCountOnly))
    for (const one of [registry, ...suites.values()]) if (one.rules.includes(entry.rule)) one.notJudged.push(entry);
  return [registry, ...suites.values()];
}

/** What is judged only with an option, or if it exists: a report does not show whether it was. */
const ON_REQUEST = new Set<AnyRule['on']>(['materials', 'attestation', 'about', 'subscription']);

/** Rules about these are listed only if they have a finding or were not judged. */
function isEvaluated({ id, on }: AnyRule, { findings, notJudged }: Report): boolean {
  return !ON_REQUEST.has(on) || [...findings, ...notJudged].some(({ rule }) => rule === id);
}

function suite(app: string | null, evaluated: readonly AnyRule[]): Suite {
  return { app, rules: evaluated.map((rule) => rule.id), findings: [], notJudged: [] };
}

const SUBJECT = new Map<string, AnyRule['on']>(rules.map((rule) => [rule.id, rule.on]));
const ON_MANIFEST = new Set<AnyRule['on']>(['manifest', 'workspace', 'exception']);
const ON_VERSION = new Set<AnyRule['on']>(['version', 'artifact', 'materials', 'attestation']);
const ON_ANY_DOCUMENT = new Set<AnyRule['on']>(['document', 'url', 'resource']);

function isAboutRegistry({ rule, resource, app }: Finding): boolean {
  return app === null || (resource === 'manifest' && SUBJECT.get(rule) !== 'app');
}

/** A metadata file can be checked without a manifest. */
function isEvaluatedOnRegistry({ id, on }: AnyRule, { apps, findings, summary }: Report): boolean {
  if (apps.length > 0 || findings.some(({ resource }) => resource === 'manifest'))
    return ON_MANIFEST.has(on) || (ON_ANY_DOCUMENT.has(on) && !/^(icon|artifact)-/.test(id));
  return summary.versions > 0 && !ON_MANIFEST.has(on) && on !== 'app' && on !== 'icon';
}

function isAboutWholeRun({ rule, app, resource }: NotJudged): boolean {
  return rule !== '*' && app === null && resource === null;
}

function isCountOnly({ count }: NotJudged): boolean {
  return count !== null;
}

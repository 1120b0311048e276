import { isCountedFinding, type Finding, type NotJudged, type Report } from '../core/findings/report.ts';
import { rules } from '../core/rules/index.ts';
import type { AnyRule } from '../core/rules/rule.ts';
import { counted, grouped, printable } from '../core/text/text.ts';
import { locationOf } from './location.ts';
import { countedReason, failureReasons, isFailure, isIntentional, whyUncounted } from './report-text.ts';
import type { RenderOptions } from './options.ts';
import { groupBy } from './words.ts';
import { xmlDocument, type XmlElement } from './xml.ts';

type Options = Pick<RenderOptions, 'folder' | 'maxWarnings' | 'severities'>;

interface Case {
  name: string;
  outcome: 'passed' | 'failure' | 'error' | 'skipped';
  /** The reason why the case did not pass, in one line. */
  message?: string;
  /** The details of a failure, or additional output of a passed case. */
  text?: string;
  type?: string;
  file?: string | null;
}

/** Findings, and reasons, reported per case. */
const MAX_LINES = 200;

/**
 * JUnit XML. A case is a rule, evaluated on the registry or on an app: it passes if the rule holds, fails on an error,
 * and is skipped if the rule was not judged, or if none of its findings counts. Warnings are reported by a passing case, and counted by one with
 * --max-warnings. A separate case reports whether the run is complete, so there is always at least one.
 */
export function junit(report: Report, options: Options): string {
  const suites = suitesOf(report, options.severities).map((suite) => {
    const cases = casesOf(suite, report, options.folder);
    return suiteElement(
      suite,
      suite.app === null ? [...runCases(report, options.maxWarnings), ...cases] : cases,
      report,
    );
  });
  const sum = (name: string): number => suites.reduce((all, { attributes }) => all + Number(attributes?.[name]), 0);
  return xmlDocument({
    name: 'testsuites',
    attributes: {
      name: `appreg ${report.command}`,
      tests: sum('tests'),
      failures: sum('failures'),
      errors: sum('errors'),
      time: report.summary.seconds,
    },
    children: suites,
  });
}

/** The cases for the run as a whole. */
function runCases({ notJudged, outcome, summary }: Report, maxWarnings: number | null): Case[] {
  const reasons = failureReasons(notJudged);
  const notChecked = notJudged.filter(isIntentional).map(({ reason }) => printable(`Not checked: ${reason}`));
  const message = reasons[0] ?? 'a rule failed';
  const cases: Case[] = [
    outcome === 'incomplete'
      ? {
          name: 'run-complete',
          outcome: 'error',
          type: 'incomplete',
          message,
          text: reasons.slice(0, MAX_LINES).map(printable).join('\n'),
        }
      : { name: 'run-complete', outcome: 'passed', ...(notChecked.length > 0 ? { text: notChecked.join('\n') } : {}) },
  ];
  if (maxWarnings === null) return cases;
  const comparison = `${counted(summary.warnings, 'warning')}, and --max-warnings is ${maxWarnings}`;
  const tooMany = summary.warnings > maxWarnings;
  return [
    ...cases,
    { name: 'max-warnings', outcome: tooMany ? 'failure' : 'passed', message: comparison, text: comparison },
  ];
}

function casesOf(suite: Suite, report: Report, folder: string): Case[] {
  const found = groupBy(suite.findings, (finding) => finding.rule);
  const skipped = groupBy(suite.notJudged, (entry) => entry.rule);
  // If the run was interrupted, or another shard covers the manifest, the registry as a whole was not judged.
  const ofRun = suite.app === null ? (skipped.get('*') ?? []) : [];
  const unjudgedRegistry = ofRun.filter((entry) => isFailure(entry) || isForOtherShard(entry));
  skipped.delete('*');
  const names = new Set([...suite.rules, ...found.keys(), ...skipped.keys()]);
  return [...names].map((name) =>
    caseOf(name, found.get(name) ?? [], skipped.get(name) ?? unjudgedRegistry, (finding) => {
      const { path, url, line, column, about } = locationOf(finding, report, folder);
      const position = [line, column].filter((number) => number !== null).map((number) => `:${number}`);
      return { path, place: `${path ?? url}${position.join('')}${about === null ? '' : ` (${about})`}` };
    }),
  );
}

/** True if another shard reports on the manifest. */
function isForOtherShard(entry: NotJudged): boolean {
  return entry.code === 'other-shard' && entry.resource === 'manifest';
}

function caseOf(
  name: string,
  findings: readonly Finding[],
  unjudged: readonly NotJudged[],
  placeOf: (finding: Finding) => { path: string | null; place: string },
): Case {
  const first = findings.find((finding) => finding.severity === 'error' && isCountedFinding(finding));
  const details = findings.map((finding) => {
    const { severity, message, advice, version } = finding;
    const about = version === null ? '' : ` (${version})`;
    const step = isCountedFinding(finding) ? advice : whyUncounted(finding);
    return [`${severity}: ${message}${about}`, `  ${placeOf(finding).place}`, `  ${step}`].map(printable).join('\n');
  });
  const reasons = unjudged.map((entry) =>
    printable(`${entry.version === null ? '' : `${entry.version} `}not judged: ${countedReason(entry)}`),
  );
  const lines = [...new Set([...details, ...reasons])];
  const more = lines.length - MAX_LINES;
  const text = [...lines.slice(0, MAX_LINES), ...(more > 0 ? [`… and ${grouped(more)} more`] : [])].join('\n');
  if (first) {
    const file = placeOf(first).path;
    return { name, outcome: 'failure', type: first.cause ?? name, message: first.message, text, file };
  }
  if (findings.length === 0 && unjudged.length > 0) {
    const others = lines.length - 1;
    return { name, outcome: 'skipped', message: `${reasons[0]}${others > 0 ? ` (and ${others} more)` : ''}` };
  }
  const [uncounted] = findings;
  if (uncounted && !findings.some(isCountedFinding)) {
    const others = findings.length - 1;
    const more = others > 0 ? ` (and ${others} more)` : '';
    return { name, outcome: 'skipped', message: `${whyUncounted(uncounted)} — ${uncounted.message}${more}` };
  }
  return text === '' ? { name, outcome: 'passed' } : { name, outcome: 'passed', text };
}

function suiteElement({ app }: Suite, cases: readonly Case[], { target, summary }: Report): XmlElement {
  const number = (outcome: Case['outcome']): number => cases.filter((one) => one.outcome === outcome).length;
  const classname = app === null ? 'registry' : `apps.${app}`;
  return {
    name: 'testsuite',
    attributes: {
      name: app === null ? 'registry' : `app ${app}`,
      tests: cases.length,
      failures: number('failure'),
      errors: number('error'),
      skipped: number('skipped'),
      time: app === null ? summary.seconds : 0,
    },
    children: [...(app === null ? [properties({ target })] : []), ...cases.map((one) => caseElement(one, classname))],
  };
}

function properties(values: Record<string, string>): XmlElement {
  const children = Object.entries(values).map(([name, value]) => ({ name: 'property', attributes: { name, value } }));
  return { name: 'properties', children };
}

function caseElement({ name, outcome, message, text, type, file }: Case, classname: string): XmlElement {
  const attributes = { name, classname, time: 0, file: file ?? null };
  if (outcome === 'passed')
    return {
      name: 'testcase',
      attributes,
      children: text === undefined ? [] : [{ name: 'system-out', children: [text] }],
    };
  const description = { message: message ?? null, type: type ?? null };
  const children = outcome === 'skipped' || text === undefined ? [] : [text];
  return { name: 'testcase', attributes, children: [{ name: outcome, attributes: description, children }] };
}

/** Which rules were evaluated where, as far as a report shows: on the registry as a whole, and on each app. */

interface Suite {
  /** Null for the registry as a whole. */
  app: string | null;
  /** Ids of the rules that were evaluated here, in reporting order. */
  rules: string[];
  findings: Finding[];
  notJudged: NotJudged[];
}

/** The suite of the registry, then one per app. */
function suitesOf(report: Report, severities: RenderOptions['severities']): Suite[] {
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

/** Subjects that are judged only with an option, or if they exist: a report does not show whether they were. */
const ON_REQUEST = new Set<AnyRule['on']>(['attestation', 'about', 'subscription', 'deployment']);

/** Rules about these are listed only if they have a finding or were not judged. */
function isEvaluated({ id, on }: AnyRule, { findings, notJudged }: Report): boolean {
  return !ON_REQUEST.has(on) || [...findings, ...notJudged].some(({ rule }) => rule === id);
}

function suite(app: string | null, evaluated: readonly AnyRule[]): Suite {
  return { app, rules: evaluated.map((rule) => rule.id), findings: [], notJudged: [] };
}

const SUBJECT = new Map<string, AnyRule['on']>(rules.map((rule) => [rule.id, rule.on]));
const ON_MANIFEST = new Set<AnyRule['on']>(['manifest', 'workspace', 'exception']);
const ON_VERSION = new Set<AnyRule['on']>(['version', 'artifact', 'attestation']);
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

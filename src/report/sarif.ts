import { isCountedFinding, type Finding, type NotJudged, type Report } from '../core/findings/report.ts';
import type { AnyRule } from '../core/rules/rule.ts';
import { HOMEPAGE, ruleUrl } from '../core/values/links.ts';
import { rules } from '../core/rules/index.ts';
import { capitalized, counted, printable, safeJson } from '../core/text/text.ts';
import { groupBy } from './words.ts';
import type { RenderOptions } from './options.ts';
import { mostSevereFirst, locationOf, webUrl } from './location.ts';
import { isFailure, whyUncounted } from './report-text.ts';

// GitHub rejects a file with more results in a run, and keeps 5,000 of them.
const ACCEPTED = 25_000;
const KEPT = 5000;
// Maximum reasons why something was not judged.
const REASONS = 1000;

const INDEX = new Map<string, number>(rules.map((rule, i) => [rule.id, i]));

/**
 * SARIF 2.1.0. What was not judged is reported as notifications of the invocation, not as results: code scanning raises
 * an alert for every result, regardless of its kind.
 */
export function sarif(report: Report, { folder, severities }: Pick<RenderOptions, 'folder' | 'severities'>): string {
  const { findings } = report;
  const found = findings.length > KEPT ? mostSevereFirst(findings) : findings;
  const places = locations(report, folder);
  // SARIF requires them in all results of a run, or in none.
  const isSuppressing = !report.findings.every(isCountedFinding);
  const results = found.slice(0, ACCEPTED).map((finding) => ({
    ...resultOf(finding, places),
    ...(isSuppressing ? { suppressions: suppressionsOf(finding) } : {}),
  }));
  const { tool, command, target, outcome, summary, symptoms } = report;
  const hidden = report.apps.filter((app) => app.visible === false).map(({ key, because }) => ({ key, because }));
  return safeJson({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            ...tool,
            semanticVersion: tool.version,
            informationUri: HOMEPAGE,
            rules: rules.map(descriptorOf),
          },
        },
        invocations: [
          {
            executionSuccessful: outcome !== 'incomplete',
            ruleConfigurationOverrides: severityOverrides(severities),
            toolExecutionNotifications: [...truncationNotice(found.length), ...notJudgedNotices(report.notJudged)],
          },
        ],
        originalUriBaseIds: places.bases(),
        columnKind: 'utf16CodeUnits',
        properties: allPrintable({ command, target, outcome, summary, symptoms, hidden }),
        results,
      },
    ],
  });
}

function descriptorOf({ id, severity, failsWhen: when, why, spec, symptom }: AnyRule): object {
  const fails = `Fails when ${when}.`;
  return {
    id,
    shortDescription: { text: plain(`${capitalized(when)}.`) },
    fullDescription: { text: plain(`${fails} ${why}`) },
    helpUri: ruleUrl(id),
    help: { text: plain(`${fails}\n\n${why}`), markdown: `${fails}\n\n${why}` },
    defaultConfiguration: { level: severity },
    properties: {
      tags: [
        ...(symptom === null || symptom === 'by-resource' ? [] : [symptom]),
        ...(spec === null ? [] : [`spec-${spec}`]),
      ],
    },
  };
}

/** Removes the Markdown code spans of a rule's text. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}

function resultOf(finding: Finding, places: Locations): object {
  const { rule, severity, message, advice, evidence, symptom, spec, cause, resource, url, pointer, fingerprint } =
    finding;
  const served = finding.file === null;
  const text = `${message} ${advice}${served && url !== null ? ` (${url})` : ''}`;
  return {
    ruleId: rule,
    ...(INDEX.has(rule) ? { ruleIndex: INDEX.get(rule) } : {}),
    level: severity,
    message: { text: unlinked(printable(text)) },
    locations: [places.locationOf(finding)],
    // The action that uploads the file computes the second one itself for files in the repository.
    partialFingerprints: {
      'appreg/v2': fingerprint,
      ...(served ? { primaryLocationLineHash: `${fingerprint}:1` } : {}),
    },
    properties: allPrintable({ advice, cause, symptom, spec, resource, url, pointer, evidence }),
  };
}

/** Exceptions and baselines are kept outside of the documents. */
function suppressionsOf(finding: Finding): object[] {
  if (isCountedFinding(finding)) return [];
  const { excepted, baseline, unfixable } = finding;
  const justification = printable(whyUncounted(finding));
  return [
    {
      kind: 'external',
      status: 'accepted',
      justification,
      properties: allPrintable({ excepted, baseline, unfixable }),
    },
  ];
}

/** In a plain message `[text](target)` would be a link. */
function unlinked(text: string): string {
  return text.includes('](') ? text.replace(/[[\]\\]/g, '\\$&') : text;
}

/** A JSON value with all its texts, including names, made printable. */
function allPrintable(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (Array.isArray(value)) return value.map(allPrintable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [printable(name), allPrintable(inner)]));
}

function severityOverrides(severities: RenderOptions['severities']): object[] {
  return Object.entries(severities).map(([id, level]) => ({
    descriptor: { id, index: INDEX.get(id) },
    configuration: level === 'off' ? { enabled: false } : { level },
  }));
}

/** States that findings are omitted, or will not be kept; empty if neither is the case. */
function truncationNotice(all: number): object[] {
  if (all <= KEPT) return [];
  const omitted =
    all <= ACCEPTED ? '' : ` The least severe ${counted(all - ACCEPTED, 'finding is', 'findings are')} omitted.`;
  const text = `There are ${counted(all, 'finding')}, listed by severity.${omitted} Code scanning keeps only ${counted(KEPT, 'result')} of a run; --format json lists all findings.`;
  return [{ level: 'warning', message: { text } }];
}

/** One notification per rule and reason, with the number of locations. */
function notJudgedNotices(entries: readonly NotJudged[]): object[] {
  const groups = groupBy(entries, ({ rule, reason }) => JSON.stringify([rule, reason]));
  const list = [...groups.values()].slice(0, REASONS).map((group) => {
    const [first] = group;
    const { rule, reason } = first;
    const failed = isFailure(first);
    const subjects = group.reduce((sum, entry) => sum + (entry.count ?? 1), 0);
    const places = subjects === 1 ? '' : ` in ${counted(subjects, 'place')}`;
    const ofRun = failed ? 'The run is incomplete' : 'Not checked';
    const text = `${rule === '*' ? ofRun : `${rule} was not judged${places}`}: ${reason}`;
    return {
      level: failed ? 'error' : 'note',
      message: { text: unlinked(printable(text)) },
      ...(INDEX.has(rule) ? { associatedRule: { id: rule, index: INDEX.get(rule) } } : {}),
    };
  });
  const more = groups.size - REASONS;
  return more > 0
    ? [...list, { level: 'note', message: { text: `${counted(more, 'more reason')} why something was not judged.` } }]
    : list;
}

const ROOT = '%SRCROOT%';

interface Locations {
  locationOf(finding: Finding): object;
  /** `originalUriBaseIds` for all locations so far. */
  bases(): Record<string, object>;
}

/**
 * Locations in SARIF. A URL is split into its origin, as a separate base, and a relative reference: code scanning
 * rejects a whole file for a single absolute https URI.
 */
function locations(report: Report, folder: string): Locations {
  const bases: Record<string, object> = {};
  const ids = new Map<string, string>();

  function baseOf(origin: string): string {
    const known = ids.get(origin);
    if (known !== undefined) return known;
    const id = `ORIGIN${ids.size === 0 ? '' : ids.size + 1}`;
    ids.set(origin, id);
    bases[id] = { uri: `${origin}/` };
    return id;
  }

  function artifactOf(path: string | null, url: string | null): object {
    const web = path === null && url !== null ? webUrl(url) : null;
    if (web !== null) {
      const { protocol, host, pathname, search } = web;
      return { uri: relativeReference(pathname.slice(1), search), uriBaseId: baseOf(`${protocol}//${host}`) };
    }
    const name = path ?? url ?? '.';
    if (/^([a-z]:)?\//i.test(name)) return { uri: `file://${name.startsWith('/') ? '' : '/'}${encoded(name)}` };
    bases[ROOT] = { description: { text: 'The root of the repository.' } };
    return { uri: encoded(name), uriBaseId: ROOT };
  }

  return {
    locationOf(finding) {
      const { path, url, line, column } = locationOf(finding, report, folder);
      const logical = logicalOf(finding);
      return {
        physicalLocation: {
          artifactLocation: artifactOf(path, url),
          // Code scanning does not show results without a line.
          region: { startLine: line ?? 1, ...(column === null ? {} : { startColumn: column }) },
        },
        ...(logical.length > 0 ? { logicalLocations: logical } : {}),
        ...(path === null && url !== null ? { message: { text: printable(url) } } : {}),
      };
    },
    bases: () => bases,
  };
}

/** A path and query in a form that cannot be parsed as a scheme, a host or an empty reference. */
function relativeReference(path: string, search: string): string {
  const [first = ''] = path.split('/', 1);
  return `${first === '' || first.includes(':') ? './' : ''}${path}${search}`;
}

function encoded(path: string): string {
  return path
    .replace(/\p{Cs}/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
}

function logicalOf({ app, version }: Finding): object[] {
  const key = app === null ? null : printable(app);
  const names: object[] = key === null ? [] : [{ name: key, fullyQualifiedName: key, kind: 'app' }];
  if (version === null) return names;
  const name = printable(version);
  return [...names, { name, fullyQualifiedName: key === null ? name : `${key}@${name}`, kind: 'version' }];
}

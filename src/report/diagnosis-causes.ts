import { ownerOf } from '../core/rules/lookup.ts';
import { type Finding } from '../core/findings/report.ts';
import { SEVERITIES } from '../core/values/severity.ts';
import { counted, shorten } from '../core/text/text.ts';
import {
  type Cause,
  evidenceList,
  evidenceOf,
  evidenceText,
  type Pair,
  placeOf,
  type SymptomView,
  type ViewOptions,
} from './diagnosis-evidence.ts';
import { type Group, groupBy } from './words.ts';
import { whyUncounted } from './report-text.ts';
import { hostOf } from '../core/http/probe.ts';

/** The party that has to act, in words. */

// Causes that also occur with a private authority that this machine does not trust.
const PRIVATE = new Set(['unknown-issuer', 'self-signed', 'incomplete-chain']);

/** The host that a finding is about, with its port; an empty text if it has none. */
function hostIn(finding: Finding): string {
  const url = finding.evidence['requested'] ?? finding.url;
  return typeof url === 'string' ? hostOf(url) : '';
}

/** The party that has to act on a finding, in words. */
function whoOf(finding: Finding): string {
  const { rule, cause, resource, evidence } = finding;
  const host = hostIn(finding) || 'the registry';
  const by = evidence['servedBy'];
  const product = typeof by === 'string' ? ` (${shorten(by, 40)})` : '';
  const copy = evidence['fromCache'];
  switch (ownerOf(finding)) {
    case 'author':
      if (evidence['page'] !== undefined)
        return `the author, who uploads the file; and the host ${host}${product}, which should respond with 404 if it is missing`;
      return rule === 'unreachable' && resource === 'manifest'
        ? 'the author: the registry’s files, or the subscribed URL'
        : 'the author: the registry’s files';
    case 'host':
      if (rule === 'tls-untrusted' && PRIVATE.has(cause ?? ''))
        return `the host ${host}${product}; or the user of this check, if the authority is private (--ca)`;
      return `the host ${host}${product}${cause === 'redirect-null-origin' ? ', or the author: the listed URL' : ''}`;
    case 'cache':
      return `the CDN or cache in front of ${host}${product}${typeof copy === 'string' ? `: ${shorten(evidenceText(copy), 80)}` : ''}`;
    case 'network':
      return `the network between this machine and ${host}: DNS, proxy, firewall or TLS interception`;
    case 'service':
      return 'the service: its operator';
    case 'user': {
      const [near] = evidenceList(evidence, 'near');
      if (near !== undefined) return `the user of this check: the key is ${shorten(near, 80)}`;
      const { proxy } = evidence;
      return `the user of this check${typeof proxy === 'string' ? `: the proxy ${shorten(proxy, 80)}` : ''}`;
    }
  }
}

/** The causes of a symptom: findings with the same rule, cause and responsible party are one. */

/** Causes listed per symptom, without and with --verbose. */
const MAX_CAUSES = 3;
const MAX_CAUSES_VERBOSE = 50;
/** Other locations listed per cause, without and with --verbose. */
const MAX_LOCATIONS = 4;
const MAX_LOCATIONS_VERBOSE = 20;

/** One cause per rule, cause and responsible party: errors first, then by the number of affected items. */
export function causesOf(all: readonly Finding[], options: ViewOptions): Pick<SymptomView, 'causes' | 'remarks'> {
  const emptied = appsLeftWithoutVersion(all);
  const findings = all.filter((finding) => finding.rule !== 'no-valid-versions' || !emptied.has(finding.app));
  const groups = groupBy(findings, (finding) => {
    const owner = ownerOf(finding);
    const host = owner === 'author' || owner === 'service' ? '' : hostIn(finding);
    const why = whyUncounted(finding);
    return [finding.severity, finding.rule, finding.cause, owner, host, emptiesApp(finding, emptied), why].join(' ');
  });
  const sorted = SEVERITIES.flatMap((severity) =>
    [...groups.values()]
      .filter(([first]) => first.severity === severity)
      .toSorted((a, b) => countAffected(b) - countAffected(a)),
  );
  const listed = sorted.slice(0, options.verbose ? MAX_CAUSES_VERBOSE : MAX_CAUSES);
  const more = sorted.length - listed.length;
  return {
    causes: listed.map((group) => causeOf(group, emptied, options)),
    remarks:
      more === 0
        ? []
        : [
            options.page === true
              ? `… and ${counted(more, 'more cause')}.`
              : `… and ${counted(more, 'more cause')}; ${options.verbose ? '--format json' : '--verbose'} lists them all.`,
          ],
  };
}

/** The apps left without a valid version, if their invalid version strings are reported: one error, reported once. */
function appsLeftWithoutVersion(findings: readonly Finding[]): Set<string | null> {
  const invalid = new Set(findings.filter(({ rule }) => rule === 'version-not-semver').map(({ app }) => app));
  const none = findings.filter(({ rule, cause }) => rule === 'no-valid-versions' && cause === 'all-invalid');
  return new Set(none.map(({ app }) => app).filter((app) => invalid.has(app)));
}

/** True for the invalid version strings of an app that has no valid one. */
function emptiesApp({ rule, app }: Finding, emptied: ReadonlySet<string | null>): boolean {
  return rule === 'version-not-semver' && emptied.has(app);
}

function causeOf(group: Group<Finding>, emptied: ReadonlySet<string | null>, options: ViewOptions): Cause {
  const [first] = group;
  return {
    severity: first.severity,
    rule: first.rule,
    message: emptiesApp(first, emptied)
      ? `${first.message.replace(/\.$/, '')}, so no valid version is left.`
      : first.message,
    affected: affectedBy(group),
    who: whoOf(first),
    place: placeOf(first),
    evidence: evidenceOf(first, options),
    also: alsoOf(group, options),
    ...remediesOf(group, options),
    uncounted: whyUncounted(first),
  };
}

/** The correction: once, if that is the same for all findings of the group. */
function remediesOf(group: Group<Finding>, { verbose, page }: ViewOptions): Pick<Cause, 'next' | 'remedies'> {
  const [first] = group;
  const groups = [...groupBy(group, ({ advice }) => advice).values()];
  if (groups.length === 1) return { next: first.advice, remedies: [] };
  const limit = verbose ? MAX_LOCATIONS_VERBOSE : MAX_LOCATIONS;
  const remedies = groups.slice(0, limit).map((same) => {
    const [{ message, advice }] = same;
    return `${placesOf(same)}: ${message === first.message ? '' : `${message} `}${advice}`;
  });
  const more = groups.length - remedies.length;
  if (more > 0)
    remedies.push(
      `… and ${more} more${page === true ? '' : `; ${verbose ? '--format json' : '--verbose'} lists them all`}.`,
    );
  return { next: null, remedies };
}

/** `app-a 2.0.0, app-b 1.0.0`; the location of a finding that is about no app. */
function placesOf(findings: Group<Finding>): string {
  const names = findings.map((finding) => {
    const about = [finding.app, finding.version].filter((name) => name !== null);
    return about.length === 0 ? placeOf(finding) : about.map((name) => shorten(name, 40)).join(' ');
  });
  const listed = [...new Set(names)];
  return `${listed.slice(0, 3).join(', ')}${listed.length > 3 ? ', …' : ''}`;
}

/** The other locations of a cause. */
function alsoOf([first, ...others]: Group<Finding>, options: ViewOptions): string[] {
  if (others.length > MAX_LOCATIONS && !options.verbose) return [];
  const lines = others.slice(0, MAX_LOCATIONS_VERBOSE).map((finding) => {
    // A finding of the service about a version has no place of its own.
    const place = placeOf(finding) === placeOf(first) ? placesOf([finding]) : placeOf(finding);
    const document = `${first.url ?? first.file} `;
    const pairs = evidenceOf(finding, options)
      .slice(0, 2)
      .filter(([name]) => finding.evidence[name] !== first.evidence[name])
      .map(pairText);
    return [place.startsWith(document) ? place.slice(document.length) : place, ...pairs].join(' · ');
  });
  if (others.length > MAX_LOCATIONS_VERBOSE)
    lines.push(`… and ${others.length - MAX_LOCATIONS_VERBOSE} more; --format json lists them all.`);
  return lines;
}

/** `status 404`, or only the value if the name is ''. */
export function pairText([name, value]: Pair): string {
  return name === '' ? value : `${name} ${value}`;
}

function countAffected(group: readonly Finding[]): number {
  return group.reduce((sum, finding) => sum + 1 + Number(finding.evidence['alsoHit'] ?? 0), 0);
}

/** `app-a 2.0.0`, or `40 files of 12 apps: app-a, app-b, app-c, …`. */
function affectedBy(group: Group<Finding>): string | null {
  const [first] = group;
  const all = countAffected(group);
  if (all === 1) return [first.app, first.version].filter((name) => name !== null).join(' ') || null;
  const apps = new Set<string>();
  for (const { app, evidence } of group) {
    if (app !== null) apps.add(app);
    for (const also of evidenceList(evidence, 'alsoApps')) apps.add(also);
  }
  if (apps.size === 0) return `${all} times`;
  const named = [...apps].slice(0, 3).map((app) => shorten(app, 40));
  const list = `${named.join(', ')}${apps.size > 3 ? ', …' : ''}`;
  return apps.size === 1 ? `${all} times in ${list}` : `${all} times in ${counted(apps.size, 'app')}: ${list}`;
}

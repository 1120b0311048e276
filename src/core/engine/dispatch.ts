import {
  type DocumentFacts,
  type HostFacts,
  isMissing,
  type Resource,
  type ResourceKind,
  type Missing,
  type Probe,
} from '../facts/facts.ts';
import { type JsonValue, parseDocument } from '../json/json.ts';
import { type FindingCollector, locationOf, type SubjectLocation } from './findings.ts';
import type { Severity } from './report.ts';
import type { AnyRule, FactsOf, Subject } from '../rules/rule.ts';
import { inJudgingOrder } from './rule-order.ts';
import { rules as allRules } from '../rules/index.ts';
import { sideProbes } from '../facts/side-probes.ts';
import { type UrlParts, urlParts } from '../http/url.ts';
import { originOf, ruleOfFailure } from '../http/probe.ts';
import { blockedBy } from '../facts/missing.ts';

/** The fact for a field of the wrong type. */
export const SCHEMA_VIOLATION: Missing = blockedBy('schema-violation');

const EARLY: Record<ResourceKind, string> = {
  manifest: 'manifest',
  metadata: 'metadata',
  artifact: 'artifact',
  icon: 'icon',
};
const LATE: Record<ResourceKind, string> = {
  manifest: 'manifest late',
  metadata: 'metadata late',
  artifact: 'artifact late',
  icon: 'icon late',
};

/** The order in which the kinds of files on one host are preferred for reporting a finding about that host. */
const IMPORTANCE: readonly ResourceKind[] = ['manifest', 'metadata', 'artifact', 'icon'];

/** Options of a run. */
export interface DispatchOptions {
  /** ISO 8601; the moment of observation. */
  now: string;
  severities?: Readonly<Record<string, Severity | 'off'>>;
  origins?: readonly string[];
  rules?: readonly AnyRule[];
}

/** True if the symptoms or the visibility of apps depend on the findings of a rule even when it is turned off. */
function bearsOnReport(rule: AnyRule): boolean {
  return rule.hidesApp === true || (rule.severity === 'error' && rule.symptom !== null);
}

/** Dispatches subjects with their facts to the rules about them; the collector records the findings. */
export class RuleDispatcher {
  readonly collector: FindingCollector;
  readonly now: string;
  readonly origins: readonly string[];
  /** Whether the fast path may skip clean subjects: rules selected by name are run on everything. */
  readonly usesFastPath: boolean;
  /** The URL of the manifest, once it is known. */
  registry: UrlParts | null = null;
  /** The resource kinds on each requested host: the first one in the order of `IMPORTANCE`. */
  readonly roles = new Map<string, ResourceKind>();
  readonly bySubject = new Map<Subject | 'resource, late', AnyRule[]>();

  constructor(terms: DispatchOptions, collector: FindingCollector) {
    this.collector = collector;
    this.now = terms.now;
    this.origins = terms.origins ?? [];
    this.usesFastPath = terms.rules === undefined;
    for (const rule of inJudgingOrder(terms.rules ?? allRules)) {
      if (terms.severities?.[rule.id] === 'off' && !bearsOnReport(rule)) continue;
      const when = rule.on === 'resource' && rule.supersededBy !== undefined ? 'resource, late' : rule.on;
      const list = this.bySubject.get(when);
      if (list) list.push(rule);
      else this.bySubject.set(when, [rule]);
    }
  }

  rulesOn(subject: Subject | 'resource, late'): readonly AnyRule[] {
    return this.bySubject.get(subject) ?? [];
  }

  dispatch<S extends Subject>(
    subject: S,
    facts: FactsOf<S>,
    place: SubjectLocation,
    rules: readonly AnyRule[] = this.rulesOn(subject),
  ): void {
    const absent = this.collector.missingIn(facts);
    for (const rule of rules) this.collector.apply(rule, facts, place, absent);
  }

  /** Runs the rules about a URL and its response, then those about the document's text. */
  document(facts: DocumentFacts, place: SubjectLocation): JsonValue | undefined {
    this.resource(facts, place);
    const { content } = facts;
    if (isMissing(content)) {
      this.dispatch('document', { role: place.resource, facts, content, reading: content, value: content }, place);
      this.resource(facts, place, true);
      return undefined;
    }
    this.collector.countBytes(content.bytes);
    const reading = parseDocument(content);
    const value =
      reading.value === undefined
        ? blockedBy(reading.oversized ? 'document-oversized' : 'document-unreadable')
        : ((this.usesFastPath ? reading.nonCanonical : null) ?? reading.value);
    this.collector.noteValue(reading.value);
    this.dispatch('document', { role: place.resource, facts, content, reading, value }, place);
    this.resource(facts, place, true);
    return reading.value;
  }

  url(role: ResourceKind, text: string | null, place: SubjectLocation): void {
    const parsed = text === null ? SCHEMA_VIOLATION : (urlParts(text) ?? blockedBy('url-malformed'));
    this.dispatch(
      'url',
      { role, url: text ?? SCHEMA_VIOLATION, parsed, now: this.now, registry: this.registry },
      place,
    );
  }

  /**
   * Judges the response of a URL. `late`: after the content was judged, for the rules that a content rule supersedes.
   */
  resource(facts: Resource, place: SubjectLocation, late = false): void {
    const { web } = facts;
    if (!late) this.collector.noteReused(place.resource, facts);
    if (!late && facts.otherName !== undefined)
      this.dispatch(
        'file',
        { role: place.resource, ...facts.otherName },
        place.pointer === '' ? { ...place, document: null } : place,
      );
    if (!late && !isMissing(web)) {
      this.collector.askedOfSome(place.resource, web.head);
      this.noteHosts(place.resource, web.server);
    }
    if (isMissing(web) && web.runWide && this.collector.wasNoted(late ? LATE[place.resource] : EARLY[place.resource]))
      return;
    const url = facts.url ?? NO_URL;
    // A host fault that affects the whole document has no position inside it.
    const at = place.pointer === '' ? { ...place, document: null } : place;
    this.dispatch(
      'resource',
      {
        role: place.resource,
        url,
        web,
        answer: answerOf(facts),
        ...sideProbes(web),
        origins: this.origins,
        now: this.now,
      },
      at,
      this.rulesOn(late ? 'resource, late' : 'resource'),
    );
  }

  noteHosts(role: ResourceKind, { hops }: Probe): void {
    for (const { url } of hops) {
      const origin = originOf(url);
      const known = this.roles.get(origin);
      if (known === undefined || IMPORTANCE.indexOf(role) < IMPORTANCE.indexOf(known)) this.roles.set(origin, role);
    }
  }

  /** Hosts that temporarily refused requests; at the end of a run. */
  hosts(all: readonly HostFacts[]): void {
    for (const facts of all) {
      const role = this.roles.get(facts.origin) ?? 'manifest';
      const place = locationOf(role, NO_URL, { url: facts.origin });
      this.dispatch('host', { facts }, place);
    }
  }
}

const NO_URL: Missing = { missing: { code: 'no-url' }, runWide: true };

/** The response to the service's own GET; present if a complete 2xx response was received. */
export function answerOf(facts: Resource): Probe | Missing {
  if (isMissing(facts.web)) return facts.web;
  const visit = facts.web.server;
  const rule = ruleOfFailure(visit);
  return rule === null ? visit : blockedBy(rule);
}

import {
  type ArtifactFacts,
  type DocumentFacts,
  type HostFacts,
  isMissing,
  type Resource,
  type ResourceKind,
  type Missing,
  type Probe,
} from '../facts/facts.ts';
import { type DocumentContent } from '../json/content.ts';
import { type JsonValue, parseDocument } from '../json/json.ts';
import { evaluate, evaluateComplete } from './evaluate.ts';
import { locationOf, type SubjectLocation } from './location.ts';
import { SubjectRules } from './rule-table.ts';
import type { RunRecord } from './record.ts';
import { isOff } from './settings.ts';
import { UnobservedArtifacts, UnobservedResources } from './unobserved.ts';
import { inJudgingOrder } from './superseding.ts';
import { type AnyRule, canRefuseVersion } from '../rules/rule.ts';
import type { FactsOf, Subject, Subjects } from '../rules/subjects.ts';
import type { VersionEntry } from '../registry/version-entry.ts';
import { rules as allRules } from '../rules/index.ts';
import { sideProbes } from '../http/side-probes.ts';
import { type UrlParts, urlParts } from '../url/url.ts';
import { isPlainUrl } from '../url/url-error.ts';
import { hostnameOf, originOf } from '../http/probe.ts';
import { ruleOfFailure } from '../http/failed-request.ts';
import { blockedBy } from '../facts/missing.ts';

const URL_MALFORMED: Missing = blockedBy('url-malformed');
/** The fact for a field of the wrong type. */
export const SCHEMA_VIOLATION: Missing = blockedBy('schema-violation');

/** The order in which the kinds of files on one host are preferred for reporting a finding about that host. */
const IMPORTANCE: readonly ResourceKind[] = ['manifest', 'metadata', 'artifact', 'icon'];

/**
 * When the rules about a resource run: before its content is judged or, for those that a rule about the content
 * supersedes, after it.
 */
type Phase = 'before-content' | 'after-content';

/** Options of a run. */
interface DispatchOptions {
  /** ISO 8601; the moment of observation. */
  now: string;
  origins?: readonly string[];
  rules?: readonly AnyRule[];
}

/** True if the symptoms or the visibility of apps depend on the findings of a rule even when it is turned off. */
function affectsReport(rule: AnyRule): boolean {
  const { hidesApp, severity, worstSeverity, symptom } = rule;
  return hidesApp === true || ((worstSeverity ?? severity) === 'error' && (symptom !== null || canRefuseVersion(rule)));
}

/** Dispatches subjects with their facts to the rules about them. */
export class RuleDispatcher {
  readonly #run: RunRecord;
  readonly #now: string;
  readonly #origins: readonly string[];
  readonly #rules: ReadonlyMap<Subject, SubjectRules>;
  readonly #resourceRules: Readonly<Record<Phase, SubjectRules>>;
  /** The resource kinds on each requested host: the first one in the order of `IMPORTANCE`. */
  readonly #kinds = new Map<string, ResourceKind>();
  readonly #comparedHosts = new Set<string>();
  readonly #unobserved = new UnobservedResources();
  readonly #artifacts = new UnobservedArtifacts();
  /** The URL of the manifest, once it is known. */
  registry: UrlParts | null = null;

  constructor(run: RunRecord, options: DispatchOptions) {
    this.#run = run;
    this.#now = options.now;
    this.#origins = options.origins ?? [];
    const judged = inJudgingOrder(options.rules ?? allRules).filter(
      (rule) => !isOff(run.overrides, rule) || affectsReport(rule),
    );
    const subjects = new Set(judged.map(({ on }) => on));
    this.#rules = new Map(
      [...subjects].map((subject) => [subject, new SubjectRules(judged.filter(({ on }) => on === subject))]),
    );
    const aboutResources = this.#rules.get('resource')?.rules ?? [];
    this.#resourceRules = {
      'before-content': new SubjectRules(aboutResources.filter(({ supersededBy }) => supersededBy === undefined)),
      'after-content': new SubjectRules(aboutResources.filter(({ supersededBy }) => supersededBy !== undefined)),
    };
  }

  /** The rules about a subject, in the order in which they are judged. */
  rulesOn(subject: Exclude<Subject, 'resource'>): readonly AnyRule[] {
    return this.#rules.get(subject)?.rules ?? [];
  }

  /**
   * Judges all rules about a subject.
   * @param present the name of a fact that is a document's value: one that has a field "missing" is not a missing fact
   */
  dispatch<S extends Exclude<Subject, 'resource'>>(
    subject: S,
    facts: FactsOf<S>,
    place: SubjectLocation,
    present: (keyof FactsOf<S> & string) | null = null,
  ): void {
    const rules = this.#rules.get(subject);
    if (rules !== undefined) evaluate(this.#run, rules, facts, place, present);
  }

  /** Judges all rules about a subject of which no fact is missing: the types say so. */
  dispatchComplete<S extends Exclude<Subject, 'resource'>>(
    subject: S,
    facts: Subjects[S],
    place: SubjectLocation,
  ): void {
    const rules = this.#rules.get(subject);
    if (rules !== undefined) evaluateComplete(this.#run, rules, facts, place);
  }

  /**
   * Judges the rules about an artifact.
   * @param entry of the version that lists it
   * @param factsOf makes the facts; not called for an artifact that is only counted
   */
  artifact(
    facts: ArtifactFacts,
    entry: VersionEntry,
    factsOf: () => FactsOf<'artifact'>,
    placeOf: () => SubjectLocation,
  ): void {
    const rules = this.#rules.get('artifact');
    if (rules === undefined) return;
    const isUnobserved = isMissing(facts.web) && isMissing(facts.content) && isMissing(facts.archive);
    if (isUnobserved && this.#artifacts.countAnother(facts, entry, this.#run.notJudged)) return;
    const plan = evaluate(this.#run, rules, factsOf(), placeOf());
    if (isUnobserved) this.#artifacts.keep(facts, entry, plan);
  }

  /** Adds the subjects of rules that were only counted; call it once, at the end of the run. */
  addCounted(): void {
    for (const rules of [...this.#rules.values(), ...Object.values(this.#resourceRules)])
      rules.addCounted(this.#run.notJudged);
  }

  /** Runs the rules about a URL and its response, then those about the document's text. */
  document(facts: DocumentFacts, place: SubjectLocation): JsonValue | undefined {
    this.resource(facts, place, 'before-content');
    const { content } = facts;
    const value = isMissing(content) ? undefined : this.#content(facts, content, place);
    if (isMissing(content))
      this.dispatch('document', { resource: place.resource, facts, content, reading: content, value: content }, place);
    this.resource(facts, place, 'after-content');
    return value;
  }

  #content(facts: DocumentFacts, content: DocumentContent, place: SubjectLocation): JsonValue | undefined {
    this.#run.totals.bytes += content.bytes;
    const reading = parseDocument(content);
    const value =
      reading.value === undefined
        ? blockedBy(reading.oversized ? 'document-oversized' : 'document-unreadable')
        : reading.value;
    const present = reading.value === undefined ? null : 'value';
    this.dispatch('document', { resource: place.resource, facts, content, reading, value }, place, present);
    return reading.value;
  }

  /**
   * Judges the rules about URLs.
   * @param text null if the URL is missing, or not a text
   * @param parts of the text, if it can be parsed
   */
  url(
    resource: ResourceKind,
    text: string | null,
    place: SubjectLocation,
    parts: UrlParts | null = text === null ? null : urlParts(text),
  ): void {
    const { registry } = this;
    const now = this.#now;
    if (text === null) {
      const facts = { resource, url: SCHEMA_VIOLATION, parsed: SCHEMA_VIOLATION, isPlain: false, now, registry };
      this.dispatch('url', facts, place);
    } else if (parts === null) {
      this.dispatch('url', { resource, url: text, parsed: URL_MALFORMED, isPlain: false, now, registry }, place);
    } else {
      const isPlain = isPlainUrl(text, parts);
      this.dispatchComplete('url', { resource, url: text, parsed: parts, isPlain, now, registry }, place);
    }
  }

  /** Judges the response of a URL. */
  resource(facts: Resource, place: SubjectLocation, phase: Phase): void {
    const { web } = facts;
    // A host fault that affects the whole document has no position inside it.
    const at = place.pointer === '' ? { ...place, document: null } : place;
    if (phase === 'before-content') {
      const { file, local = null } = facts;
      if (file !== null) this.dispatch('local-file', { resource: place.resource, path: file, state: local }, place);
      this.#noteResource(facts, at);
    }
    const rules = this.#resourceRules[phase];
    if (isMissing(web) && this.#unobserved.countAnother(rules, facts, place.resource, this.#run.notJudged)) return;
    const answer = answerOf(facts);
    const subject: FactsOf<'resource'> = {
      resource: place.resource,
      url: facts.url ?? NO_URL,
      web,
      answer,
      ...sideProbes(web),
      origins: this.#origins,
      now: this.#now,
      comparedHosts: this.#comparedHosts,
    };
    const plan = evaluate(this.#run, rules, subject, at);
    if (isMissing(web)) this.#unobserved.keep(rules, facts, place.resource, plan);
  }

  /** Records what a report states about a resource once, and its hosts. */
  #noteResource(facts: Resource, place: SubjectLocation): void {
    const { resource } = place;
    this.#run.addReused(resource, facts);
    if (facts.otherName !== undefined) this.dispatch('file', { resource, ...facts.otherName }, place);
    if (isMissing(facts.web)) return;
    this.#run.addSampled(resource, facts.web.head);
    this.#noteHosts(resource, facts.web.server);
    for (const addresses of facts.web.addresses ?? []) {
      this.#run.addAddresses(resource, addresses);
      if (!isMissing(addresses)) this.#comparedHosts.add(hostnameOf(addresses.url));
    }
  }

  #noteHosts(kind: ResourceKind, { hops }: Probe): void {
    for (const { url } of hops) {
      const origin = originOf(url);
      const known = this.#kinds.get(origin);
      if (known === undefined || IMPORTANCE.indexOf(kind) < IMPORTANCE.indexOf(known)) this.#kinds.set(origin, kind);
    }
  }

  /** Hosts that temporarily refused requests; at the end of a run. */
  hosts(all: readonly HostFacts[]): void {
    for (const facts of all) {
      const kind = this.#kinds.get(facts.origin) ?? 'manifest';
      this.dispatch('host', { facts }, locationOf(kind, NO_URL, { url: facts.origin }));
    }
  }
}

const NO_URL: Missing = { missing: { code: 'no-url' }, runWide: true };

/** The response to the service's own GET; present if a complete 2xx response was received. */
export function answerOf(facts: Resource): Probe | Missing {
  if (isMissing(facts.web)) return facts.web;
  const probe = facts.web.server;
  const rule = ruleOfFailure(probe);
  return rule === null ? probe : blockedBy(rule);
}

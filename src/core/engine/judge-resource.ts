import {
  type DocumentFacts,
  type HostFacts,
  isMissing,
  type Missing,
  type Probe,
  type Resource,
  type ResourceKind,
} from '../facts/facts.ts';
import { blockedBy } from '../facts/missing.ts';
import { oldCopyAge } from '../http/cache.ts';
import { ruleOfFailure } from '../http/failed-request.ts';
import { sideProbes } from '../http/side-probes.ts';
import type { DocumentContent } from '../json/content.ts';
import { type JsonValue, parseDocument } from '../json/json.ts';
import type { FactsOf } from '../rules/subjects.ts';
import { isPlainUrl } from '../url/url-error.ts';
import { type UrlParts, urlParts } from '../url/url.ts';
import { evaluate, judgeComplete, judgeSubject } from './evaluate.ts';
import { locationOf, type SubjectLocation } from './location.ts';
import type { ResourcePhase } from './rule-table.ts';
import type { Run } from './run.ts';

/** Judges one resource: the URL that refers to it, the response of its host, and the text of a document. */

const URL_MALFORMED: Missing = blockedBy('url-malformed');
/** The fact for a field of the wrong type. */
export const SCHEMA_VIOLATION: Missing = blockedBy('schema-violation');
const NO_URL: Missing = { missing: { code: 'no-url' }, runWide: true };

/**
 * Judges a URL in a document, or that of the manifest.
 * @param text null if the URL is missing, or not a text
 * @param parsed the text, if it can be parsed
 */
export function judgeUrl(
  run: Run,
  resource: ResourceKind,
  text: string | null,
  place: SubjectLocation,
  parsed: UrlParts | null = text === null ? null : urlParts(text),
): void {
  const { registry } = run;
  const { now } = run.settings;
  if (text === null) {
    const facts = { resource, url: SCHEMA_VIOLATION, parsed: SCHEMA_VIOLATION, isPlain: false, now, registry };
    judgeSubject(run, 'url', facts, place);
  } else if (parsed === null) {
    judgeSubject(run, 'url', { resource, url: text, parsed: URL_MALFORMED, isPlain: false, now, registry }, place);
  } else {
    const isPlain = isPlainUrl(text, parsed);
    judgeComplete(run, 'url', { resource, url: text, parsed, isPlain, now, registry }, place);
  }
}

/**
 * Judges a document: the response of its host, and its text.
 * @returns its value; undefined if it cannot be read
 */
export function judgeDocument(run: Run, facts: DocumentFacts, place: SubjectLocation): JsonValue | undefined {
  judgeResponse(run, facts, place, 'before-content');
  const { content } = facts;
  const { resource } = place;
  const value = isMissing(content) ? undefined : judgeText(run, facts, content, place);
  if (isMissing(content))
    judgeSubject(run, 'document', { resource, facts, content, reading: content, value: content }, place);
  judgeResponse(run, facts, place, 'after-content');
  return value;
}

function judgeText(
  run: Run,
  facts: DocumentFacts,
  content: DocumentContent,
  place: SubjectLocation,
): JsonValue | undefined {
  const { resource } = place;
  run.record.totals.bytes += content.bytes;
  const reading = parseDocument(content);
  if (reading.value === undefined) {
    const value = blockedBy(reading.oversized ? 'document-oversized' : 'document-unreadable');
    judgeSubject(run, 'document', { resource, facts, content, reading, value }, place);
  } else {
    judgeSubject(run, 'document', { resource, facts, content, reading, value: reading.value }, place, 'value');
  }
  return reading.value;
}

/**
 * Judges the response of a resource's host. Rules that a rule about the content supersedes run in the second phase, after
 * the content was judged.
 */
export function judgeResponse(run: Run, facts: Resource, place: SubjectLocation, phase: ResourcePhase): void {
  const { web } = facts;
  const { resource } = place;
  // A host fault that affects the whole document has no position inside it.
  const at = place.pointer === '' ? { ...place, document: null } : place;
  if (phase === 'before-content') {
    const { file, local = null } = facts;
    if (file !== null)
      judgeSubject(run, 'local-file', { resource, path: file, state: local }, { ...place, ...place.listedAt });
    noteResource(run, facts, at);
  }
  const rules = run.rules.onResource(phase);
  if (isMissing(web) && run.unobserved.countAnother(rules, facts, resource, run.record.notJudged)) return;
  const subject: FactsOf<'resource'> = {
    resource,
    url: facts.url ?? NO_URL,
    web,
    answer: answerOf(facts),
    ...sideProbes(web),
    origins: run.settings.origins,
    now: run.settings.now,
    comparedHosts: run.hosts.compared,
  };
  const plan = evaluate(run.record, rules, subject, at);
  if (isMissing(web)) run.unobserved.keep(rules, facts, resource, plan);
}

/** Records what a report states about a resource once, and its hosts. */
function noteResource(run: Run, facts: Resource, place: SubjectLocation): void {
  const { record, hosts } = run;
  const { resource } = place;
  record.addReused(resource, facts);
  if (facts.otherName !== undefined)
    judgeSubject(run, 'file', { resource, ...facts.otherName }, { ...place, ...place.listedAt });
  if (isMissing(facts.web)) return;
  record.addSampled(resource, facts.web.head);
  hosts.addHops(resource, facts.web.server);
  for (const addresses of facts.web.addresses ?? []) {
    record.addAddresses(resource, addresses);
    hosts.addCompared(addresses);
  }
}

/** The response to the service's own GET; present if a complete 2xx response was received. */
export function answerOf(facts: Resource): Probe | Missing {
  if (isMissing(facts.web)) return facts.web;
  const probe = facts.web.server;
  const rule = ruleOfFailure(probe);
  return rule === null ? probe : blockedBy(rule);
}

/**
 * The age in seconds of a cached document that is too old to contain recent publications, otherwise 0; such a document
 * does not clear a symptom.
 */
export function staleCopyAge({ record, settings: { now } }: Run, place: SubjectLocation): number {
  const age = isMissing(place.web) ? 0 : oldCopyAge(place.web.server, now);
  if (age > 0) record.addStaleCopy(place.resource, age);
  return age;
}

/** Judges the hosts that temporarily refused requests; at the end of a run. */
export function judgeHosts(run: Run, all: readonly HostFacts[]): void {
  for (const facts of all) {
    const place = locationOf(run.hosts.kindOf(facts.origin), NO_URL, { url: facts.origin });
    judgeSubject(run, 'host', { facts }, place);
  }
}

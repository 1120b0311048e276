import {
  type DocumentFacts,
  type HostFacts,
  isUnseen,
  type Resource,
  type Role,
  type Unseen,
  type Visit,
} from './facts.ts';
import { type JsonValue, readingOf } from './json.ts';
import type { Ledger, Place } from './ledger.ts';
import type { Severity } from './report.ts';
import type { AnyRule, FactsOf, Subject } from './rule.ts';
import { rules as allRules } from './rules/index.ts';
import { sideVisits } from './side-visits.ts';
import { type UrlParts, urlParts } from './url.ts';
import { originOf, ruleOfFailure } from './visit.ts';

/** The facts of a field that has another type than it should. */
export const MISSHAPEN: Unseen = { unseen: 'because of document-misshapen' };

const EARLY: Record<Role, string> = { manifest: 'manifest', metadata: 'metadata', artifact: 'artifact', icon: 'icon' };
const LATE: Record<Role, string> = {
  manifest: 'manifest late',
  metadata: 'metadata late',
  artifact: 'artifact late',
  icon: 'icon late',
};

/** Of the kinds of files on one host, the one that a finding about the host is reported with. */
const IMPORTANCE: readonly Role[] = ['manifest', 'metadata', 'artifact', 'icon'];

/** What a run goes by. */
export interface Terms {
  /** ISO 8601; the moment of observation. */
  now: string;
  severities?: Readonly<Record<string, Severity | 'off'>>;
  origins?: readonly string[];
  rules?: readonly AnyRule[];
}

/** True where the symptoms or the visibility of apps depend on what a rule finds, though it is turned off. */
function bearsOnReport(rule: AnyRule): boolean {
  return rule.hides === true || (rule.severity === 'error' && rule.symptom !== null);
}

/** Offers subjects with their facts to the rules about them; what those find is for the ledger. */
export class Offering {
  readonly ledger: Ledger;
  readonly now: string;
  readonly origins: readonly string[];
  /** Whether what is beyond doubt may be kept from the rules: those that are named are asked about everything. */
  readonly screens: boolean;
  /** The URL of the manifest, once it is known. */
  registry: UrlParts | null = null;
  /** What lies on each host that was asked: the first kind in the order of `IMPORTANCE`. */
  readonly roles = new Map<string, Role>();
  readonly bySubject = new Map<Subject | 'resource, late', AnyRule[]>();

  constructor(terms: Terms, ledger: Ledger) {
    this.ledger = ledger;
    this.now = terms.now;
    this.origins = terms.origins ?? [];
    this.screens = terms.rules === undefined;
    for (const rule of terms.rules ?? allRules) {
      if (terms.severities?.[rule.id] === 'off' && !bearsOnReport(rule)) continue;
      const when = rule.on === 'resource' && rule.unless !== undefined ? 'resource, late' : rule.on;
      const list = this.bySubject.get(when);
      if (list) list.push(rule);
      else this.bySubject.set(when, [rule]);
    }
  }

  rulesOn(subject: Subject | 'resource, late'): readonly AnyRule[] {
    return this.bySubject.get(subject) ?? [];
  }

  offer<S extends Subject>(
    subject: S,
    facts: FactsOf<S>,
    place: Place,
    rules: readonly AnyRule[] = this.rulesOn(subject),
  ): void {
    const absent = this.ledger.absentIn(facts);
    for (const rule of rules) this.ledger.apply(rule, facts, place, absent);
  }

  /** The rules about a URL and about how it answered, then those about the document's text. */
  document(facts: DocumentFacts, place: Place): JsonValue | undefined {
    this.resource(facts, place);
    const { content } = facts;
    if (isUnseen(content)) {
      this.offer('document', { role: place.resource, facts, content, reading: content, value: content }, place);
      this.resource(facts, place, true);
      return undefined;
    }
    this.ledger.countBytes(content.bytes);
    const reading = readingOf(content);
    const value =
      reading.value === undefined
        ? { unseen: `because of ${reading.oversized ? 'document-oversized' : 'document-unreadable'}` }
        : ((this.screens ? reading.doubtful : null) ?? reading.value);
    this.ledger.seen(reading.value);
    this.offer('document', { role: place.resource, facts, content, reading, value }, place);
    this.resource(facts, place, true);
    return reading.value;
  }

  url(role: Role, text: string | null, place: Place): void {
    const parsed = text === null ? MISSHAPEN : (urlParts(text) ?? { unseen: 'because of url-malformed' });
    this.offer('url', { role, url: text ?? MISSHAPEN, parsed, now: this.now, registry: this.registry }, place);
  }

  /** How a URL answered; `late`, after the content was judged: the rules that are silent where a content rule says more. */
  resource(facts: Resource, place: Place, late = false): void {
    const { web } = facts;
    if (!late) this.ledger.takenOver(place.resource, facts);
    if (!late && facts.otherName !== undefined)
      this.offer(
        'file',
        { role: place.resource, ...facts.otherName },
        place.pointer === '' ? { ...place, document: null } : place,
      );
    if (!late && !isUnseen(web)) {
      this.ledger.askedOfSome(place.resource, web.head);
      this.noteHosts(place.resource, web.service);
    }
    if (isUnseen(web) && web.everywhere && this.ledger.saidOnce(late ? LATE[place.resource] : EARLY[place.resource]))
      return;
    const url = facts.url ?? { unseen: 'it has no URL', everywhere: true };
    // What a host does to a whole document has no place inside it.
    const at = place.pointer === '' ? { ...place, document: null } : place;
    this.offer(
      'resource',
      {
        role: place.resource,
        url,
        web,
        answer: answerOf(facts),
        ...sideVisits(web),
        origins: this.origins,
        now: this.now,
      },
      at,
      this.rulesOn(late ? 'resource, late' : 'resource'),
    );
  }

  noteHosts(role: Role, { hops }: Visit): void {
    for (const { url } of hops) {
      const origin = originOf(url);
      const known = this.roles.get(origin);
      if (known === undefined || IMPORTANCE.indexOf(role) < IMPORTANCE.indexOf(known)) this.roles.set(origin, role);
    }
  }

  /** Hosts that refused requests for now; at the end of a run. */
  hosts(all: readonly HostFacts[]): void {
    for (const facts of all) {
      const place: Place = {
        app: null,
        version: null,
        resource: this.roles.get(facts.origin) ?? 'manifest',
        document: null,
        pointer: '',
        url: facts.origin,
        file: null,
        web: NOT_ABOUT_A_URL,
        found: new Map(),
      };
      this.offer('host', { facts }, place);
    }
  }
}

const NOT_ABOUT_A_URL: Unseen = { unseen: 'it is about a host' };

/** The answer to the service's own GET: there when a 2xx answer came whole. */
export function answerOf(facts: Resource): Visit | Unseen {
  if (isUnseen(facts.web)) return facts.web;
  const visit = facts.web.service;
  const rule = ruleOfFailure(visit);
  return rule === null ? visit : { unseen: `because of ${rule}` };
}

import type {
  ArchiveFacts,
  ArtifactFacts,
  Content,
  DocumentContent,
  DocumentFacts,
  PublishedVersion,
  HostFacts,
  IconFacts,
  ImageFacts,
  ResourceKind,
  Missing,
  Probe,
  HttpViews,
} from '../facts/facts.ts';
import type { JsonValue, ParsedDocument } from '../json/json.ts';
import type { SideProbes } from '../facts/side-probes.ts';
import type { UrlParts } from '../http/url.ts';
import type { Evidence, Severity, Symptom } from '../engine/report.ts';

/** An element of `versions` that is an object; fields are checked one by one, so any of them may be unusable. */
export interface VersionEntry {
  index: number;
  version: string | null;
  artifactUrl: string | null;
  artifactChecksum: string | null;
}

/**
 * What there is to judge, and the facts that each subject can offer. A rule names its subject (`on`) and the facts it
 * must see (`needs`); a fact that is not there makes the rule "not judged" for that subject, with the reason.
 */
export interface Subjects {
  /** The manifest or one metadata file, as a document. */
  document: {
    role: ResourceKind;
    facts: DocumentFacts;
    content: DocumentContent;
    reading: ParsedDocument;
    value: JsonValue;
  };
  /** A usable manifest: an object whose `apps` is an object. */
  manifest: {
    keys: readonly string[];
    /** Of each of the keys, where it is a text. */
    metadataUrls: readonly (string | null)[];
    earlierKeys: readonly string[];
    earlierSource: string;
    /** The apps that were asked for by name; empty when none was. */
    asked: readonly string[];
    /** Seconds: how old a copy it is, where what was published since cannot be in it; otherwise 0. */
    copyAge: number;
  };
  /** One entry of `apps`. The last four are there when they have the right type. */
  app: {
    key: string;
    entry: JsonValue;
    name: string;
    description: string;
    color: string;
    earlierSource: string;
  };
  /** A usable metadata file: an object whose `versions` is an array. */
  metadata: {
    versions: readonly VersionEntry[];
    /** The number of elements of `versions`, those that are no objects included. */
    listed: number;
    earlier: readonly PublishedVersion[];
    earlierSource: string;
    /** The version that was asked for by name, or null. */
    askedVersion: string | null;
    copyAge: number;
  };
  /** One element of `versions`. */
  version: {
    index: number;
    version: string;
    checksum: string;
    all: readonly VersionEntry[];
    /** The whole artifact as it was found; null where nobody looked at it. */
    served: Content | null;
  };
  /** A URL that a document names, or the registry's own. */
  url: {
    role: ResourceKind;
    url: string;
    parsed: UrlParts;
    now: string;
    /** The URL of the manifest; null where it is not known. */
    registry: UrlParts | null;
  };
  /** A URL that was asked. */
  resource: SideProbes & {
    role: ResourceKind;
    url: string;
    web: HttpViews;
    answer: Probe;
    origins: readonly string[];
    now: string;
  };
  artifact: {
    facts: ArtifactFacts;
    content: Content;
    archive: ArchiveFacts;
    /** The digest that the metadata lists, when it is well-formed: 64 lowercase hexadecimal digits. */
    digest: string;
    checksum: string;
    all: readonly VersionEntry[];
    /** What was seen of the artifacts of all entries, by their index. */
    artifacts: readonly ArtifactFacts[];
    /** What the version was when it was published; null where nobody knows. */
    before: PublishedVersion | null;
    answer: Probe;
    /** The file that the app's code begins in, at the top of the archive. */
    appEntry: string;
  };
  icon: { facts: IconFacts; content: Content; image: ImageFacts; answer: Probe; origins: readonly string[] };
  /** A file that the folder lists under another name than its URL says; both are paths below the workspace. */
  file: { role: ResourceKind; path: string; listed: string };
  workspace: { orphans: readonly string[] };
  /** A host that refused requests for now; offered at the end of a run. */
  host: { facts: HostFacts };
}
export type Subject = keyof Subjects;

/** One place where a rule does not hold. The engine adds the rule's facts, the place and the position. */
export interface Problem {
  message: string;
  advice: string;
  cause?: string;
  evidence?: Evidence;
  /** JSON Pointer below the subject's own place; '' (the default) is that place itself. */
  at?: string;
  /** Character offset into the document's text, where no pointer can say it (a syntax error). */
  offset?: number;
  /** Point at the property's name instead of its value. */
  onName?: boolean;
  /** Where this one case weighs differently than the rule says. */
  severity?: Severity;
  symptom?: Symptom | null;
  /** The app it is about, where the subject does not say. */
  app?: string;
  /** The version it is about, where the subject does not say. */
  version?: string;
  /** The file it is about, where that is not the document (an orphaned file). */
  file?: string;
  /** What it is really about (a host, say) where that is more than this resource: told once per run and rule for each. */
  dedupeKey?: string;
  /**
   * Ids of rules, or an id, a space and a cause: where one of them found that on the same resource, at the same severity
   * or a higher one, this problem is left out.
   */
  supersededBy?: readonly string[];
  /**
   * The origin of a host: where that is found to limit requests (rules about a `host`), at the same severity or a higher
   * one, this problem is left out.
   */
  unlessLimited?: string;
  /** Whether it hides the app, where that does not follow from its severity. */
  hidesApp?: boolean;
}

export interface Rule<S extends Subject = Subject, N extends keyof Subjects[S] = keyof Subjects[S]> {
  id: string;
  on: S;
  needs: readonly N[];
  severity: Severity;
  /** Section of the specification that it follows; null where it is ours alone. */
  spec: string | null;
  /** The symptom of spec section 7; 'by-resource' takes that of the resource which is hit. */
  symptom: Symptom | 'by-resource' | null;
  /** True when a finding of severity error keeps the app, or the whole registry, from being seen. */
  hidesApp?: boolean;
  /** True when a finding of severity error confirms its symptom by itself. */
  confirms?: boolean;
  /**
   * Ids of rules, or an id, a space and a cause: where one of them found that on the same resource, at the same severity
   * or a higher one, this rule's problems are left out, and it is not judged. Those must be judged before this one.
   */
  supersededBy?: readonly string[];
  /** "Fails when …", for the documentation. */
  failsWhen: string;
  /** Why a subscriber should care. */
  why: string;
  check(facts: Pick<Subjects[S], N>): Problem | readonly Problem[] | null | undefined;
}

/** Checks a rule's types; adds nothing. */
export function defineRule<S extends Subject, const N extends keyof Subjects[S]>(rule: Rule<S, N>): Rule<S, N> {
  return rule;
}

/** A rule whatever its subject, for lists; the engine offers it the facts of its own subject. */
export interface AnyRule extends Omit<Rule, 'needs' | 'check'> {
  needs: readonly string[];
  check(facts: any): Problem | readonly Problem[] | null | undefined;
}

/** What the engine offers: each fact, or why it is not there. */
export type FactsOf<S extends Subject> = { [K in keyof Subjects[S]]: Subjects[S][K] | Missing };

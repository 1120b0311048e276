import type { NotBlank } from 'appreg';
import type { HostExpectation, HostScript, HostSetting } from './host.ts';
import type { SubscriberExpectation, SubscriberScript } from './subscriber.ts';

/** The cases of the conformance kit: data in the folder `conformance` of the package, declared here. */

/** Subject of a case: a validator of documents, a host of registry files, or a subscriber. */
export const ROLES = ['documents', 'host', 'subscriber'] as const;
/** The role of an implementation that is tested. */
export type Role = (typeof ROLES)[number];

/**
 * `required`: a sentence of the specification requires it, and the exit code depends on it. `recommended`: it is good
 * practice. `unspecified`: the specification is silent; the behavior is reported, never judged.
 */
export const LEVELS = ['required', 'recommended', 'unspecified'] as const;
export type Level = (typeof LEVELS)[number];

/** The frozen sets. A set never changes: a correction or an additional case is part of a new one. */
export const SETS = [1] as const;

/**
 * The id of a case, unique among those of its role in a set. It names what is tested.
 *
 * @pattern ^[a-z0-9]+(-[a-z0-9]+)*$
 */
export type CaseId = string;

/**
 * A section of the specification.
 *
 * @pattern ^\d(\.\d)?$
 */
export type Section = string;

interface Case<Script, Expectation> {
  id: CaseId;
  spec: Section;
  /** The sentence of the specification that the case rests on; null unless the level is `required`. */
  quote: NotBlank | null;
  level: Level;
  /** The tested behavior, as a sentence about the correct one. */
  title: NotBlank;
  /** The actions of the kit. */
  script: Script;
  /** The required result. */
  expect: Expectation;
}

export interface DocumentCase extends Case<DocumentScript, DocumentExpectation> {
  role: 'documents';
}

export interface HostCase extends Case<HostScript, HostExpectation> {
  role: 'host';
  /** The setting of a host that makes the case pass. */
  setting: HostSetting;
}

export interface SubscriberCase extends Case<SubscriberScript, SubscriberExpectation> {
  role: 'subscriber';
}

/** The type of the cases of each role. */
export interface CasesByRole {
  documents: DocumentCase;
  host: HostCase;
  subscriber: SubscriberCase;
}

export type AnyCase = CasesByRole[Role];

/** The kind of document that a case contains. */
export type DocumentKind = 'manifest' | 'metadata';

interface DocumentScript {
  /** The document is the file `manifest.json` or `metadata.json` in the folder of the case. */
  document: DocumentKind;
}

interface DocumentExpectation {
  /** `warnings`: the document is accepted, and has a fault that a validator should report. */
  verdict: 'valid' | 'warnings' | 'invalid';
  /** Where the faults are, as JSON Pointers; empty for a document that cannot be parsed. */
  faults: readonly string[];
}

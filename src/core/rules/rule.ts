import type { Symptom } from '../findings/report.ts';
import type { Evidence } from '../values/evidence.ts';
import type { Severity } from '../values/severity.ts';
import type { CauseOf, Causes, PurgeStep } from './cause.ts';
import type { Owner, OwnerByEvidence } from './owners.ts';
import type { SafeText } from '../text/message.ts';
import type { Subject, Subjects } from './subjects.ts';

/**
 * One location where a rule is violated. The engine adds the rule's metadata, the location and the position.
 * @template C the causes that it may name; `never` for a rule without causes
 */
export interface Problem<C extends string = string> {
  message: SafeText;
  advice: SafeText;
  cause?: C;
  evidence?: Evidence;
  /** JSON Pointer relative to the subject's own location; '' (the default) is that location itself. */
  at?: string;
  /** Character offset into the document's text, for a position without a pointer (a syntax error). */
  offset?: number;
  /** Point at the property's name instead of its value. */
  onName?: boolean;
  /** Set if this case has another severity than the rule. */
  severity?: Severity;
  symptom?: Symptom | null;
  /** The app it is about, unless the subject determines it. */
  app?: string;
  /** The version it is about, unless the subject determines it. */
  version?: string;
  /** The text under which that version is listed, if it is another one. */
  listedAs?: string;
  /** The file it is about, if that is not the document (an orphaned file). */
  file?: string;
  /** The subject (a host, say) if that is more than this resource: reported once per run and rule for each. */
  dedupeKey?: string;
  /** If one of these was found on the same resource, at the same severity or a higher one, this problem is omitted. */
  supersededBy?: readonly ExplainedBy[];
  /**
   * The origin of a host: if it is found to limit requests (rules about a `host`), at the same severity or a higher
   * one, this problem is omitted.
   */
  unlessLimited?: string;
  /** True if it hides the app, if that does not follow from its severity. */
  hidesApp?: boolean;
}

export type CheckResult<C extends string = string> = Problem<C> | readonly Problem<C>[] | null | undefined;

/** A check of the facts about one subject, with its texts. */
export interface Rule<
  S extends Subject = Subject,
  N extends keyof Subjects[S] = keyof Subjects[S],
  C extends Causes = Causes,
> {
  id: string;
  /** The finding in a few words: a noun phrase, which also follows “because of”. */
  title: string;
  on: S;
  needs: readonly N[];
  severity: Severity;
  /** Section of the specification that it is based on; null if there is none. */
  spec: string | null;
  /** The symptom of spec section 7; 'by-resource' takes that of the affected resource. */
  symptom: Symptom | 'by-resource' | null;
  /** The party that has to act on its findings, unless their cause says otherwise. */
  owner: Owner | OwnerByEvidence;
  /** True if a finding of severity error hides the app, or the whole registry. */
  hidesApp?: boolean;
  /** False if the service offers a version regardless of an error by this rule. */
  refusesVersion?: false;
  /** True if problems with the same `dedupeKey` are one finding, also with different causes. */
  mergesCauses?: true;
  /** `error` if some cases are errors although the rule's own severity is lower. */
  worstSeverity?: 'error';
  /** The reason that subscribers see for an app that is hidden because of this rule. */
  hiddenReason?: string;
  /** True if it is about published content that must never change: an exception for it needs an end. */
  immutability?: boolean;
  /** True if only another version corrects its findings: it is about the bytes of an artifact, or a version number. */
  needsNewVersion?: true;
  /** True if it finds nothing in a live registry: it is about files of a workspace. */
  workspaceOnly?: boolean;
  /** True if `lint --fix` fixes some of its findings. */
  fixable?: boolean;
  /** If a cached copy was seen: when to purge caches. */
  purge?: PurgeStep;
  /** `browser` if its findings are about what a browser got, and not about the response to the service. */
  view?: 'browser';
  /** The ways in which it fails, if there are several: `check` may return no other cause. */
  causes?: C;
  /** True when a finding of severity error confirms its symptom by itself. */
  confirms?: boolean;
  /**
   * If one of these was found on the same resource, at the same severity or a higher one, this rule's problems are
   * omitted, and it is not judged. Only for findings whose correction removes these problems as well, or leaves nothing
   * that they are about; that others are as severe is no reason.
   */
  supersededBy?: readonly ExplainedBy[];
  /** The causes that depend on the clock of this machine, or all: where a host contradicts it, findings begin with that. */
  byClock?: 'all' | readonly string[];
  /** "Fails when …", for the documentation. */
  failsWhen: string;
  /** The consequence for subscribers. */
  why: string;
  /** An observation with a finding, and one without; run as tests, and printed in the documentation. */
  examples: { bad: string; good: string };
  check(facts: Pick<Subjects[S], N>): CheckResult<CauseOf<NoInfer<C>>>;
}

/** A rule that hides apps says why. */
type Hiding = { hidesApp?: false } | { hidesApp: true; hiddenReason: string };

/** Checks a rule's types; returns it unchanged. */
export function defineRule<S extends Subject, const N extends keyof Subjects[S], const C extends Causes = never>(
  rule: Rule<S, N, C> & Hiding,
): Rule<S, N, C> {
  return rule;
}

/** A rule regardless of its subject, for lists; the engine passes it the facts of its own subject. */
export interface AnyRule extends Omit<Rule, 'needs' | 'check'> {
  needs: readonly string[];
  check(facts: any): CheckResult;
}

/** True if an error by the rule may keep a version from being offered: the service fetches artifacts, not a browser. */
export function canRefuseVersion({ refusesVersion, view }: AnyRule): boolean {
  return refusesVersion !== false && view !== 'browser';
}

/** Findings of another rule that explain those of this one, and why. */
export interface ExplainedBy {
  /** Its id. Rules do not refer to each other as values, so that each can be loaded without those that explain it. */
  rule: string;
  /** Only findings with one of these causes; absent for all of that rule. */
  causes?: readonly string[];
  /** Only problems of this rule with one of these causes are explained; absent for all. */
  only?: readonly string[];
  /**
   * The reason why nothing is left to report beside such a finding: a sentence without a period, for the
   * documentation.
   */
  because: string;
}

/**
 * The findings of a rule that explain others.
 * @template R the type of that rule
 * @param rule its id
 * @param causes all causes if none are given; a name that the rule does not declare is a type error
 */
export function explainedBy<R extends AnyRule>(
  rule: string,
  because: string,
  ...causes: CauseOf<CausesOf<R>>[]
): ExplainedBy {
  return causes.length === 0 ? { rule, because } : { rule, causes, because };
}

/** The same explanations of problems with one of these causes. */
export function only(explanations: readonly ExplainedBy[], ...causes: string[]): ExplainedBy[] {
  return explanations.map((explanation) => ({ ...explanation, only: causes }));
}

/** The causes that a rule declares. */
type CausesOf<R> = R extends { causes?: infer C extends Causes } ? C : never;

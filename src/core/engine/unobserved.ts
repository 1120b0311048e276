import type { ArtifactFacts, Resource, ResourceKind } from '../facts/facts.ts';
import type { VersionEntry } from '../registry/version-entry.ts';
import type { NotJudgedRecord } from './not-judged.ts';
import type { Plan, SubjectRules } from './rule-table.ts';

/** Resources of which nothing was observed: where no rule can be run on one of them, the next one is only counted. */

/**
 * Resources of which nothing was observed, for one reason: all facts about them are missing, except for the URL. Where no
 * rule can be run on one of them, the next one is only counted, and its facts are not put together.
 */
export class UnobservedResources {
  readonly #last = new Map<SubjectRules, Map<ResourceKind, { web: unknown; hasUrl: boolean; plan: Plan }>>();

  /** Counts a resource like the last one of its kind; false if its rules have to be evaluated. */
  countAnother(rules: SubjectRules, { web, url }: Resource, resource: ResourceKind, record: NotJudgedRecord): boolean {
    const last = this.#last.get(rules)?.get(resource);
    if (last?.web !== web || last.hasUrl !== (url !== null) || !last.plan.isIdle) return false;
    last.plan.endSubject(record);
    return true;
  }

  /** Keeps the plan by which the rules about a resource were evaluated. */
  keep(rules: SubjectRules, { web, url }: Resource, resource: ResourceKind, plan: Plan): void {
    const byKind = this.#last.get(rules) ?? new Map<ResourceKind, { web: unknown; hasUrl: boolean; plan: Plan }>();
    this.#last.set(rules, byKind.set(resource, { web, hasUrl: url !== null, plan }));
  }
}

/**
 * The same for the content of artifacts: which of its facts are missing depends on the reasons why nothing was observed,
 * and on whether the version has a checksum.
 */
export class UnobservedArtifacts {
  #last: (Pick<ArtifactFacts, 'web' | 'content' | 'archive'> & { hasChecksum: boolean; hasDigest: boolean }) | null =
    null;
  #plan: Plan | null = null;

  /** Counts an artifact like the last one; false if its rules have to be evaluated. */
  countAnother(
    { web, content, archive }: ArtifactFacts,
    { artifactChecksum, digest }: VersionEntry,
    record: NotJudgedRecord,
  ): boolean {
    const last = this.#last;
    if (last === null || this.#plan?.isIdle !== true) return false;
    if (last.web !== web || last.content !== content || last.archive !== archive) return false;
    if (last.hasChecksum !== (artifactChecksum !== null) || last.hasDigest !== (digest !== null)) return false;
    this.#plan.endSubject(record);
    return true;
  }

  /** Keeps the plan by which the rules about an artifact were evaluated. */
  keep({ web, content, archive }: ArtifactFacts, { artifactChecksum, digest }: VersionEntry, plan: Plan): void {
    this.#last = { web, content, archive, hasChecksum: artifactChecksum !== null, hasDigest: digest !== null };
    this.#plan = plan;
  }
}

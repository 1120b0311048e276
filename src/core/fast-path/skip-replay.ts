import type { AppFacts, ArtifactFacts, Resource, Missing } from '../facts/facts.ts';
import { isMissing } from '../facts/facts.ts';
import type { Counted, FindingCollector } from '../engine/findings.ts';

/**
 * Apps about which there is nothing to find, and of which nothing could be seen but their documents: in a large
 * workspace nearly all. What is not judged about one is not judged about the next one either, and is counted again.
 */

/** What was not there to be seen of an app, and why; equal for apps that were looked at in one way. */
export type MissingFacts = readonly (Missing | null)[];

/** Null where anything was seen that only rules can judge. */
export function missingFactsOf({ icon, metadata, artifacts }: AppFacts): MissingFacts | null {
  const { content } = metadata;
  if (hasMore(icon) || hasMore(metadata)) return null;
  if (!isMissing(icon.web) || !isMissing(metadata.web) || !isMissing(icon.content) || !isMissing(icon.image))
    return null;
  if (!icon.web.runWide || !metadata.web.runWide || metadata.local !== undefined) return null;
  const about = [icon.web, icon.content, icon.image, metadata.web, isMissing(content) ? content : null];
  if (artifacts.length === 0) return about;
  const alike = missingFactsOfAll(artifacts);
  return alike === null ? null : [...about, alike.web, alike.content, alike.archive];
}

/** Why nothing was seen of any of these artifacts, where that is the same of all; otherwise null. */
export function missingFactsOfAll(
  artifacts: readonly ArtifactFacts[],
): Record<'web' | 'content' | 'archive', Missing> | null {
  const [first] = artifacts;
  if (first === undefined || artifacts.some(hasMore)) return null;
  const { web, content, archive } = first;
  if (!isMissing(web) || !isMissing(content) || !isMissing(archive) || !web.runWide) return null;
  for (const one of artifacts) if (one.content !== content || one.archive !== archive || one.web !== web) return null;
  return { web, content, archive };
}

/** True for what this run took over from another one, and for a file that is there under another name. */
function hasMore({ reusedFrom: since, viewsReusedFrom: viewsSince, otherName }: Resource): boolean {
  return since !== undefined || viewsSince !== undefined || otherName !== undefined;
}

/** Remembers what was only counted about such an app. */
export class SkipReplay {
  readonly ledger: FindingCollector;
  /** By the number of artifacts. */
  readonly known = new Map<number, { absences: MissingFacts; counted: Counted }>();

  constructor(ledger: FindingCollector) {
    this.ledger = ledger;
  }

  /** Counts again what was counted about an app like this; false where none is known. */
  repeat(absences: MissingFacts, artifacts: number): boolean {
    const known = this.known.get(artifacts);
    if (!known || known.absences.length !== absences.length) return false;
    for (let i = 0; i < absences.length; i++) if (known.absences[i] !== absences[i]) return false;
    this.ledger.countAgain(known.counted);
    return true;
  }

  /** Judges an app by the rules, and remembers it where all that came of it was counted. */
  learn<T>(absences: MissingFacts, artifacts: number, judge: () => T): T {
    this.ledger.watch();
    const verdict = judge();
    const counted = this.ledger.watched();
    if (counted !== null) this.known.set(artifacts, { absences, counted });
    return verdict;
  }
}

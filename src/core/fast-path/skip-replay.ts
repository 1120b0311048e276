import type { AppFacts, ArtifactFacts, Resource, Missing } from '../facts/facts.ts';
import { isMissing } from '../facts/facts.ts';
import type { Counted, FindingCollector } from '../engine/findings.ts';

/**
 * Apps without findings of which only the documents were observed: nearly all in a large workspace. What is not judged
 * for one of them is not judged for the next one either, and is counted again.
 */

/** The missing facts of an app, with the reasons; equal for apps that were observed in the same way. */
export type MissingFacts = readonly (Missing | null)[];

/** Null if anything was observed that only rules can judge. */
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

/** Why nothing was observed of these artifacts, if the reason is the same for all; otherwise null. */
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

/** True for facts reused from another run, and for a file that exists under another name. */
function hasMore({ reusedFrom: since, viewsReusedFrom: viewsSince, otherName }: Resource): boolean {
  return since !== undefined || viewsSince !== undefined || otherName !== undefined;
}

/** Remembers what was only counted for such an app. */
export class SkipReplay {
  readonly collector: FindingCollector;
  /** By the number of artifacts. */
  readonly known = new Map<number, { absences: MissingFacts; counted: Counted }>();

  constructor(collector: FindingCollector) {
    this.collector = collector;
  }

  /** Repeats the counts of an app like this one; false if none is known. */
  repeat(absences: MissingFacts, artifacts: number): boolean {
    const known = this.known.get(artifacts);
    if (!known || known.absences.length !== absences.length) return false;
    for (let i = 0; i < absences.length; i++) if (known.absences[i] !== absences[i]) return false;
    this.collector.countAgain(known.counted);
    return true;
  }

  /** Judges an app by the rules, and remembers it if its whole outcome was counted. */
  learn<T>(absences: MissingFacts, artifacts: number, judge: () => T): T {
    this.collector.watch();
    const verdict = judge();
    const counted = this.collector.watched();
    if (counted !== null) this.known.set(artifacts, { absences, counted });
    return verdict;
  }
}

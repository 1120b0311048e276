import { type AppFacts, isMissing, type Missing, type Resource } from '../facts/facts.ts';

/** The missing facts of an app, with the reasons; equal for apps that were observed in the same way. */
export type MissingFacts = readonly (Missing | null)[];

/** Null if anything was observed that only rules can judge: anything except the documents. */
export function missingFactsOf({ icon, metadata, artifacts, about }: AppFacts): MissingFacts | null {
  const { content } = metadata;
  if (about !== undefined || hasMore(icon) || hasMore(metadata)) return null;
  if (!isMissing(icon.web) || !isMissing(metadata.web) || !isMissing(icon.content) || !isMissing(icon.image))
    return null;
  if (!icon.web.runWide || !metadata.web.runWide) return null;
  const missing = [icon.web, icon.content, icon.image, metadata.web, isMissing(content) ? content : null];
  const [first] = artifacts;
  if (first === undefined) return missing;
  const { web, content: bytes, archive } = first;
  if (!isMissing(web) || !isMissing(bytes) || !isMissing(archive) || !web.runWide) return null;
  const isAlike = artifacts.every(
    (one) => one.web === web && one.content === bytes && one.archive === archive && !hasMore(one),
  );
  return isAlike ? [...missing, web, bytes, archive] : null;
}

/** True for facts reused from another run, for a path without a file, and for a file that exists under another name. */
function hasMore({ reusedFrom, viewsReusedFrom, local, otherName }: Resource): boolean {
  return reusedFrom !== undefined || viewsReusedFrom !== undefined || local !== undefined || otherName !== undefined;
}

/** True if both are the same objects, in the same order. */
export function isSameFacts(one: MissingFacts, other: MissingFacts): boolean {
  return one.length === other.length && one.every((fact, i) => fact === other[i]);
}

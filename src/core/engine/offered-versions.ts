import type { AppFacts } from '../facts/facts.ts';
import { listedVersionsIn, type VersionFields, versionFields } from '../registry/manifest.ts';
import { comparePrecedence, isSemver } from '../registry/version.ts';
import type { JudgedApp } from './context.ts';
import { compareText } from './order.ts';
import { outcomeOf } from './visibility.ts';

/** A listed version with its place in the metadata file. */
export type ListedVersion = VersionFields & { version: string; index: number };

/** The versions of an app that are offered, as far as that is known; the highest first. */
export function offeredVersions({ metadata }: AppFacts, { documents, offers }: JudgedApp): ListedVersion[] {
  if (documents.visible !== true) return [];
  const refused = offers.filter(({ offer, before }) => outcomeOf(offer, before).isOffered === false);
  const isRefused = new Set(refused.map(({ version }) => version));
  const chosen = new Map(offers.map(({ version, offer }) => [version, offer.entry.index]));
  const listed = (listedVersionsIn(metadata.content) ?? []).flatMap((item, index): ListedVersion[] => {
    const fields = versionFields(item);
    const { version } = fields;
    if (version === null || !isSemver(version) || isRefused.has(version)) return [];
    // Of several entries of a version, the one that was judged.
    return (chosen.get(version) ?? index) === index ? [{ ...fields, version, index }] : [];
  });
  return listed.sort((a, b) => comparePrecedence(b.version, a.version) || compareText(a.version, b.version));
}

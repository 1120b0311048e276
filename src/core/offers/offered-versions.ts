import type { AppFacts } from '../facts/facts.ts';
import { listedVersionsIn, versionFields } from '../registry/manifest.ts';
import { isValidVersion, type ValidVersion } from '../registry/valid-version.ts';
import { byPrecedence } from '../registry/precedence.ts';
import type { JudgedApp } from './judged-app.ts';
import { compareText } from '../text/order.ts';
import { outcomeOf } from './visibility.ts';

/** A listed version with its place in the metadata file. */
export type ListedVersion = ValidVersion & { index: number };

/** The versions of an app that are offered, as far as that is known; the highest first. */
export function offeredVersions({ metadata }: AppFacts, { documents, offers }: JudgedApp): ListedVersion[] {
  if (documents.visible !== true) return [];
  const refused = offers.filter(({ offer, before }) => outcomeOf(offer, before).isOffered === false);
  const isRefused = new Set(refused.map(({ version }) => version));
  const chosen = new Map(offers.map(({ version, offer }) => [version, offer.entry.index]));
  const listed = (listedVersionsIn(metadata.content) ?? []).flatMap((item, index): ListedVersion[] => {
    const fields = versionFields(item);
    if (!isValidVersion(fields) || isRefused.has(fields.version)) return [];
    // Of several entries of a version, the one that was judged.
    return (chosen.get(fields.version) ?? index) === index ? [{ ...fields, index }] : [];
  });
  const byText = listed.sort((a, b) => compareText(b.version, a.version));
  return byPrecedence(byText, ({ version }) => version).toReversed();
}

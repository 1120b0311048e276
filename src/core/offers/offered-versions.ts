import { sortedByVersion } from '../registry/precedence.ts';
import type { ValidVersion } from '../registry/valid-version.ts';
import { compareText } from '../text/order.ts';
import type { JudgedApp } from './judged-app.ts';
import { outcomeOf } from './visibility.ts';

/** The versions of an app that are offered, as far as that is known; the highest first. */
export function offeredVersions({ documents, offers }: JudgedApp): ValidVersion[] {
  if (documents.visible !== true) return [];
  const offered = offers.filter(({ offer, before }) => outcomeOf(offer, before).isOffered !== false);
  // Of several entries of a version, the one that was judged.
  const byText = offered.map(({ offer }) => offer.entry.listed).sort((a, b) => compareText(b.version, a.version));
  return sortedByVersion(byText, ({ semver }) => semver).toReversed();
}

import { removeRetirement, setRetirement } from '../author/about.ts';
import { validVersions } from '../author/metadata.ts';
import type { Document } from '../author/document.ts';
import { readAboutFile, type Retirement } from '../core/about/about-file.ts';
import { retirementOf } from '../core/about/retirement.ts';
import { AppregError } from '../core/errors/error.ts';
import type { Finding } from '../core/findings/report.ts';
import { isSemver } from '../core/registry/version.ts';
import { didYouMean } from '../core/text/similar-names.ts';
import { message } from '../core/text/message.ts';
import { printable } from '../core/text/text.ts';
import { aboutPart, readAbout } from './parts/about.ts';
import { judgeParts } from './parts/part.ts';
import { appFactsWith, factsOf, type RegistryLocation } from './registry-location.ts';
import type { AppToPublish } from './listed-app.ts';
import { changedLines, type LineChanges, type Plan } from './plan.ts';
import type { JudgeSettings } from './check-change.ts';

/** Plans the retirement of versions. The versions stay listed, and their artifacts never change (spec 2.4, 9). */

/** The retirement of all versions; null to withdraw it. */
export type WantedRetirement = Omit<Retirement, 'since'> | null;

/** A version, and what the about file says about its retirement before the change. */
export interface RetiredVersion extends Retirement {
  version: string;
}

export interface RetirementPlan {
  /** The versions, in the order of the metadata file. */
  versions: string[];
  /** Those whose retirement changes. */
  changed: string[];
  /** Those with another reason, message or replacement, which stays: nothing is overwritten without `replaces`. */
  kept: RetiredVersion[];
  /** Statements that are overwritten or withdrawn. */
  replaced: RetiredVersion[];
  plan: Plan;
  /** Warnings and notes about the change. */
  findings: Finding[];
  /** The lines of the about file that change; null if none do. */
  lines: LineChanges | null;
}

/**
 * Plans the change of one file. A plan without steps: nothing to do. An existing retirement stays as it is, unless it is
 * to be replaced.
 * @param selects whether a listed version is meant
 * @param asGiven the version or range, as the user gave it
 * @param replaces whether an existing retirement is overwritten
 * @param since the date of a new retirement; a known one is kept
 * @throws AppregError `version-unknown` (exit 2) if no listed version is meant; `rule-violation` (exit 1), such as for a
 * replacement that is not listed; `about-invalid` and `document-invalid` (exit 1)
 */
export async function planRetirement(
  place: RegistryLocation,
  listedApp: AppToPublish,
  { selects, asGiven, replaces = false }: { selects(version: string): boolean; asGiven: string; replaces?: boolean },
  retirement: WantedRetirement,
  { since, ...judgeSettings }: JudgeSettings & { since: string },
): Promise<RetirementPlan> {
  const { key, manifest, metadata, metadataUrl } = listedApp;
  const listed = validVersions(metadata).map(({ version }) => version);
  const versions = listed.filter((version) => selects(version));
  if (versions.length === 0) throw noVersion(key, asGiven, listed);
  const about = await readAbout(place, metadata.path);
  const { changed, kept, replaced } = retired(about, versions, retirement, { replaces, since });
  const what = `${printable(key)} ${changed.length === 1 ? (changed[0] ?? '') : printable(asGiven)}`;
  const change = (document: Document): Document | null => {
    const now = retired(document, versions, retirement, { replaces, since });
    const [conflict] = now.kept.filter(({ version }) => changed.includes(version));
    if (conflict !== undefined) throw retiredMeanwhile(key, conflict);
    return now.text;
  };
  const part = aboutPart(about, change, `the retirement of ${what}`);
  if (part === null) return { versions, changed, kept, replaced, plan: { steps: [] }, findings: [], lines: null };
  const app = appFactsWith(key, factsOf(metadata, metadataUrl), { url: null });
  const findings = judgeParts([part], { manifest: factsOf(manifest), app }, judgeSettings);
  return {
    versions,
    changed,
    kept,
    replaced,
    plan: { title: titleOf(what, retirement), steps: [...part.steps] },
    findings,
    lines: changedLines(...part.texts),
  };
}

interface RetiredDocument {
  /** The document with the retirements; null if nothing changes. */
  text: Document | null;
  changed: string[];
  kept: RetiredVersion[];
  replaced: RetiredVersion[];
}

/** Retires the versions, or withdraws that. Throws as `setRetirement` does. */
function retired(
  document: Document,
  versions: readonly string[],
  retirement: WantedRetirement,
  { replaces, since }: { replaces: boolean; since: string },
): RetiredDocument {
  const { about } = readAboutFile(document.content);
  const result: RetiredDocument = { text: null, changed: [], kept: [], replaced: [] };
  for (const version of versions) {
    const before = retirementOf(version, about);
    if (before !== null && retirement !== null && !replaces && !isSameRetirement(before, retirement)) {
      result.kept.push({ version, ...before });
      continue;
    }
    const current = result.text ?? document;
    const edited =
      retirement === null
        ? removeRetirement(current, version)
        : setRetirement(current, version, { ...retirement, since: before === null ? since : before.since });
    if (edited === null) continue;
    result.text = edited;
    result.changed.push(version);
    if (before !== null) result.replaced.push({ version, ...before });
  }
  return result;
}

function isSameRetirement(known: Retirement, wanted: Omit<Retirement, 'since'>): boolean {
  return known.reason === wanted.reason && known.message === wanted.message && known.use === wanted.use;
}

function retiredMeanwhile(key: string, { version, reason }: RetiredVersion): AppregError {
  return new AppregError(
    'write-conflict',
    message`${key} ${version} has just been retired by another process (${reason}).`,
    message`Run the same command again: it shows that retirement and keeps it.`,
    { effect: 'none', advisesRepeat: true },
  );
}

/** The subject of the commit. */
function titleOf(what: string, retirement: WantedRetirement): string {
  return retirement === null ? `Withdraw the retirement of ${what}` : `Retire ${what} (${retirement.reason})`;
}

function noVersion(key: string, asGiven: string, listed: readonly string[]): AppregError {
  return new AppregError(
    'version-unknown',
    isSemver(asGiven)
      ? message`${key} ${asGiven} is not listed.${didYouMean(asGiven, listed)}`
      : message`No listed version of ${key} is in the range ${asGiven}.`,
    listed.length === 0
      ? message`The app has no valid versions.`
      : message`Its versions are ${listed.slice(-10).join(', ')}.`,
    { effect: 'none' },
  );
}

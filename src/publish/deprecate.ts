import { removeRetirement, setRetirement } from '../author/about.ts';
import { validVersions } from '../author/metadata.ts';
import type { Document } from '../author/document.ts';
import { readAboutFile, type Retirement } from '../core/about/about-file.ts';
import { AppregError } from '../core/errors.ts';
import type { Finding } from '../core/engine/report.ts';
import { isSemver } from '../core/registry/version.ts';
import { didYouMean } from '../core/text/similar-names.ts';
import { message } from '../core/text/message.ts';
import { printable } from '../core/text/text.ts';
import { aboutEdit, readAbout } from './about.ts';
import { appFactsWith, withAbout, factsOf, type RegistryLocation } from './registry-location.ts';
import type { AppToPublish } from './listed-app.ts';
import { changedLines, type LineChanges, type Plan } from './plan.ts';
import { type JudgeSettings, judgeState, newFindings } from './check-change.ts';

/** Plans the retirement of versions. The versions stay listed, and their artifacts never change (spec 2.4, 9). */

/** The retirement of all versions; null to withdraw it. */
export type WantedRetirement = Omit<Retirement, 'since'> | null;

export interface RetirementPlan {
  /** The versions, in the order of the metadata file. */
  versions: string[];
  /** Those whose retirement changes. */
  changed: string[];
  plan: Plan;
  /** Warnings and notes about the change. */
  findings: Finding[];
  /** The lines of the about file that change; null if none do. */
  lines: LineChanges | null;
}

/**
 * Plans the change of one file. A plan without steps: nothing to do.
 * @param selects whether a listed version is meant
 * @param asGiven the version or range, as the user gave it
 * @param since the date of a new retirement; a known one is kept
 * @throws AppregError `version-unknown` (exit 2) if no listed version is meant; `rule-violation` (exit 1), such as for a
 * replacement that is not listed; `about-invalid` and `document-invalid` (exit 1)
 */
export async function planRetirement(
  place: RegistryLocation,
  app: AppToPublish,
  { selects, asGiven }: { selects(version: string): boolean; asGiven: string },
  retirement: WantedRetirement,
  { since, ...judgeSettings }: JudgeSettings & { since: string },
): Promise<RetirementPlan> {
  const { key, manifest, metadata, metadataUrl } = app;
  const listed = validVersions(metadata).map(({ version }) => version);
  const versions = listed.filter((version) => selects(version));
  if (versions.length === 0) throw noVersion(key, asGiven, listed);
  const about = await readAbout(place, metadata.path);
  const change = (document: Document): Document | null => {
    let edited = document;
    for (const version of versions) edited = changeOf(edited, version, retirement, since) ?? edited;
    return edited === document ? null : edited;
  };
  const what = `${printable(key)} ${versions.length === 1 ? (versions[0] ?? '') : printable(asGiven)}`;
  const edit = aboutEdit(about, change, `the retirement of ${what}`);
  if (edit === null) return { versions, changed: [], plan: { steps: [] }, findings: [], lines: null };
  const changed = versions.filter((version) => changeOf(about, version, retirement, since) !== null);
  const facts = appFactsWith(key, factsOf(metadata, metadataUrl), { url: null });
  const findings = newFindings(
    () => judgeState({ manifest: factsOf(manifest), app: withAbout(facts, edit.before) }, judgeSettings),
    { manifest: factsOf(manifest), app: withAbout(facts, edit.after) },
    judgeSettings,
  );
  return {
    versions,
    changed,
    plan: { title: titleOf(what, retirement), steps: [edit.step] },
    findings,
    lines: changedLines(...edit.texts),
  };
}

function changeOf(document: Document, version: string, retirement: WantedRetirement, since: string): Document | null {
  if (retirement === null) return removeRetirement(document, version);
  const known = readAboutFile(document.content).about?.versions.get(version)?.deprecated ?? null;
  return setRetirement(document, version, { ...retirement, since: known === null ? since : known.since });
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

import type { Document } from '../author/document.ts';
import { addAppEntry } from '../author/manifest.ts';
import { counted, printable } from '../core/text/text.ts';
import { isDocumentWritten } from '../publish/apply-step.ts';
import { factsOfFolder } from '../publish/assemble.ts';
import type { JudgeSettings } from '../publish/check-change.ts';
import type { AppToAssemble } from '../publish/described-app.ts';
import { EditStep } from '../publish/edit-step.ts';
import { withFieldChanges } from '../publish/field-changes.ts';
import { listingPart } from '../publish/parts/listing.ts';
import { judgeParts } from '../publish/parts/part.ts';
import type { Plan } from '../publish/plan.ts';
import { factsOf, type RegistryLocation, readManifest } from '../publish/registry-location.ts';
import { Attempts, withCreated } from '../publish/attempts.ts';
import type { StoredDocument } from '../publish/stored-document.ts';
import { errorOfApp, failed, type PlannedVersion, type PublishedApp, type StoredApp } from './outcome.ts';
import { type EntriesPlan, notPublished, type PlannedEntry, planTextsAgain } from './plan-entries.ts';

/** One edit of the manifest, which lists all new apps, and changes the entries of others. */

/** The step that lists the new ones of these apps, in their order, and changes entries; null if nothing changes. */
export function listAll(
  manifest: StoredDocument,
  planned: readonly PlannedVersion[],
  entries: readonly PlannedEntry[],
): EditStep | null {
  const apps = planned.flatMap(({ app: { listing }, version }) =>
    listing === null || version.listingStep === null ? [] : [listing],
  );
  const changed = entries.flatMap(({ app: { key }, part: { edit, changes } }) =>
    edit === null ? [] : { key, fields: changes.fields },
  );
  const keys = [...apps, ...changed].map(({ key }) => key);
  const what = keys.length === 1 ? `the app ${printable(keys.join(''))}` : counted(keys.length, 'app');
  return EditStep.of(manifest, { role: 'manifest', what }, (now) => {
    const listed = apps.reduce<Document>(
      (document, { key, entry }) => addAppEntry(document, key, entry) ?? document,
      now,
    );
    return changed.reduce((document, { key, fields }) => withFieldChanges(document, key, fields) ?? document, listed);
  });
}

/** The plan of the edit that lists new apps, and changes entries. */
interface ListingPlan extends EntriesPlan {
  plan: Plan;
  /** The apps whose entry the manifest accepts, and those that are listed. */
  accepted: StoredApp[];
  /** The results of the others. */
  failures: PublishedApp[];
}

/** The results of the edit of the manifest. */
interface ListedAll extends EntriesPlan {
  listed: StoredApp[];
  failures: PublishedApp[];
}

/**
 * Lists the apps that are new, after their files are stored, and changes the entries of others. One whose entry is refused
 * is left out.
 * @param changed their icons are stored
 * @returns those that are listed or changed, and the results of the others
 * @throws AppregError if the run was interrupted
 */
export async function listNewApps(
  location: RegistryLocation,
  stored: readonly StoredApp[],
  changed: readonly PlannedEntry[],
  judgeSettings: JudgeSettings,
): Promise<ListedAll> {
  if (!stored.some(isNewApp) && !changed.some(changesEntry))
    return { listed: [...stored], failures: [], entries: [...changed], refused: [] };
  const attempts = new Attempts<ListingPlan>(location.store);
  for (;;) {
    const attempt = await attempts.attempt(planListing(location, stored, changed, judgeSettings));
    if (attempt.kind === 'outdated') continue;
    if (attempt.kind === 'applied') {
      const { planned, results } = attempt.outcome;
      const isWritten = results.some(isDocumentWritten);
      const listed = planned.accepted.map((one) => (isWritten && isNewApp(one) ? { ...one, isNew: true } : one));
      return { listed, failures: planned.failures, entries: planned.entries, refused: planned.refused };
    }
    const { accepted, failures, entries, refused } = attempt.planned ?? {
      accepted: stored,
      failures: [],
      entries: changed,
      refused: [],
    };
    const notListed = accepted.filter(isNewApp).map((one) => unlisted(one, attempt.error));
    const notChanged = entries.filter(changesEntry).map((one) => notPublished(one, attempt.error));
    return {
      listed: accepted.filter((one) => !isNewApp(one)),
      failures: [...failures, ...notListed],
      entries: entries.filter((one) => !changesEntry(one)),
      refused: [...refused, ...notChanged],
    };
  }
}

/** Judges the entries on the manifest as it is now, and writes nothing. */
async function planListing(
  location: RegistryLocation,
  stored: readonly StoredApp[],
  changed: readonly PlannedEntry[],
  judgeSettings: JudgeSettings,
): Promise<ListingPlan> {
  const manifest = await readManifest(location);
  const failures = stored.flatMap((one) => refusalIn(manifest, one, judgeSettings) ?? []);
  const accepted = stored.filter(({ app }) => !failures.some((one) => one.app === app));
  const { entries, refused } = await planTextsAgain(location, manifest, changed, judgeSettings);
  const step = listAll(manifest, accepted, entries);
  const plan = { title: step?.what ?? '', steps: step === null ? [] : [step] };
  return { plan, accepted, failures, entries, refused };
}

function changesEntry({ part }: PlannedEntry): boolean {
  return part.edit !== null;
}

function isNewApp({ version }: StoredApp): boolean {
  return version.listingStep !== null;
}

/** The result of an app whose entry the manifest refuses; null if it accepts it. */
function refusalIn(manifest: StoredDocument, one: StoredApp, judgeSettings: JudgeSettings): PublishedApp | null {
  const { app, version } = one;
  // The plan of the app has judged its entry, unless the manifest has changed since then.
  if (app.listing === null || version.listingStep === null || version.listingStep.from.token === manifest.token)
    return null;
  try {
    judgeListing(manifest, app.listing, judgeSettings);
    return null;
  } catch (error) {
    return unlisted(one, error);
  }
}

/** @throws AppregError (exit 1) for another entry of the app, or if its own would introduce an error */
function judgeListing(manifest: StoredDocument, app: AppToAssemble, judgeSettings: JudgeSettings): void {
  // Its version is listed already, in its metadata file.
  const severities = { ...judgeSettings.severities, 'no-valid-versions': 'off' } as const;
  const state = { manifest: factsOf(manifest), app: factsOfFolder(app) };
  judgeParts([listingPart(manifest, app)], state, { ...judgeSettings, severities }, { isListed: false });
}

/** The result of an app whose files are stored, and that is not listed. @throws as `errorOfApp` does */
function unlisted(one: StoredApp, error: unknown): PublishedApp {
  return failed(one, withCreated(errorOfApp(error), one.written));
}

import type { Document } from '../author/document.ts';
import { addAppEntry } from '../author/manifest.ts';
import type { AppregError } from '../core/errors/error.ts';
import { counted } from '../core/text/text.ts';
import { factsOfFolder } from '../publish/assemble.ts';
import type { AppToAssemble } from '../publish/described-app.ts';
import type { JudgeSettings } from '../publish/check-change.ts';
import { isDocumentWritten } from '../publish/apply-step.ts';
import { EditStep } from '../publish/edit-step.ts';
import { lockedVersion, lockStep, readLockDocument } from '../publish/lock-step.ts';
import type { Plan } from '../publish/plan.ts';
import { listingPart } from '../publish/parts/listing.ts';
import { judgeParts } from '../publish/parts/part.ts';
import type { Published } from '../publish/publish-version.ts';
import { factsOf, type RegistryLocation, readManifest } from '../publish/registry-location.ts';
import { run, withCreated } from '../publish/run.ts';
import type { StoredDocument } from '../publish/stored-document.ts';
import { errorOfApp, type PreparedApp, type PublishedApp } from './publish-together.ts';

/** The end of a release to a store that writes one file at a time: one edit of the manifest, and one of the lock file. */

/** An app whose files and metadata are stored. */
export interface StoredApp extends Published {
  app: PreparedApp;
}

/**
 * Lists the new apps in the manifest, in this order, and records all versions in the lock file of the store.
 * @returns the result of each app
 * @throws AppregError if the run was interrupted
 */
export async function listAndRecord(
  place: RegistryLocation,
  stored: readonly StoredApp[],
  judgeSettings: JudgeSettings,
): Promise<PublishedApp[]> {
  const { errors, written } = await listNewApps(place, stored, judgeSettings);
  const listed = stored.filter(({ app }) => !errors.has(app));
  const notRecorded = await record(place, listed, judgeSettings.now);
  return stored.map(({ app, planned: { entry, findings }, isNew }): PublishedApp => {
    const error = errors.get(app);
    if (error !== undefined) return { app, outcome: 'failed', error, entry, findings };
    const outcome = isNew || written.has(app) ? 'published' : 'already-published';
    return { app, outcome, error: notRecorded, entry, findings };
  });
}

/** Apps that could not be listed, with their errors, and those that the manifest got. */
interface Listed {
  errors: ReadonlyMap<PreparedApp, AppregError>;
  written: ReadonlySet<PreparedApp>;
}

async function listNewApps(
  place: RegistryLocation,
  stored: readonly StoredApp[],
  judgeSettings: JudgeSettings,
): Promise<Listed> {
  const fresh = stored.flatMap((one) => {
    const { listing } = one.planned;
    return listing === null || one.app.listing === null ? [] : [{ ...one, listing, description: one.app.listing }];
  });
  const errors = new Map<PreparedApp, AppregError>();
  const none: Listed = { errors, written: new Set() };
  if (fresh.length === 0) return none;
  const fail = ({ app, results }: StoredApp, error: unknown): void => {
    const own = results.filter(({ outcome }) => outcome === 'created' || outcome === 'edited');
    errors.set(
      app,
      withCreated(
        errorOfApp(error),
        own.map(({ step }) => step.path),
      ),
    );
  };
  /** An app that is refused is left out. */
  const make = async (): Promise<{ plan: Plan; accepted: typeof fresh }> => {
    errors.clear();
    const manifest = await readManifest(place);
    const accepted = fresh.filter((one) => {
      try {
        // The plan of the app has judged its entry, unless the manifest has changed since then.
        if (one.listing.from.token !== manifest.token) judgeListing(manifest, one.description, judgeSettings);
        return true;
      } catch (error) {
        fail(one, error);
        return false;
      }
    });
    const step = listAll(
      manifest,
      accepted.map(({ description }) => description),
    );
    return { plan: { title: step?.what ?? '', steps: step === null ? [] : [step] }, accepted };
  };
  let accepted = fresh;
  try {
    const { planned, results } = await run(place.store, async () => {
      const planned = await make();
      ({ accepted } = planned);
      return planned;
    });
    return results.some(isDocumentWritten)
      ? { errors, written: new Set(planned.accepted.map(({ app }) => app)) }
      : none;
  } catch (error) {
    for (const one of accepted) fail(one, error);
    return none;
  }
}

/** @throws AppregError (exit 1) for another entry of the app, or if its own would introduce an error */
function judgeListing(manifest: StoredDocument, app: AppToAssemble, judgeSettings: JudgeSettings): void {
  // Its version is listed already, in its metadata file.
  const severities = { ...judgeSettings.severities, 'no-valid-versions': 'off' } as const;
  const state = { manifest: factsOf(manifest), app: factsOfFolder(app) };
  judgeParts([listingPart(manifest, app)], state, { ...judgeSettings, severities }, { isListed: false });
}

/** One step that lists all apps. */
function listAll(manifest: StoredDocument, apps: readonly AppToAssemble[]): EditStep | null {
  const what = apps.length === 1 ? `the app ${apps[0]?.key}` : counted(apps.length, 'app');
  return EditStep.of(manifest, { place: 'manifest', what }, (now) =>
    apps.reduce<Document>((document, { key, entry }) => addAppEntry(document, key, entry) ?? document, now),
  );
}

/** Records versions in the lock file of the store. @returns the error if that failed, which is an error of each */
async function record(place: RegistryLocation, listed: readonly StoredApp[], now: string): Promise<AppregError | null> {
  if (listed.length === 0) return null;
  const entries = listed.map(({ app, planned }) => ({ app: app.key, version: lockedVersion(app, planned.entry, now) }));
  const make = async (): Promise<{ plan: Plan }> => {
    const step = lockStep(await readLockDocument(place.store), entries);
    return { plan: { title: 'Record the sources of published versions', steps: step === null ? [] : [step] } };
  };
  return run(place.store, make).then(() => null, errorOfApp);
}

import { documentWithText } from '../author/document.ts';
import { addAppEntry } from '../author/manifest.ts';
import type { NotesOf } from './about.ts';
import { appToPublish, type AppToPublish, describedAppToPublish } from './app-to-publish.ts';
import type { Artifact } from './artifact.ts';
import { type AppToAssemble, iconPath, iconStep } from './assemble.ts';
import type { JudgeSettings } from './check-change.ts';
import { planVersion, type VersionPlan } from './publish-version.ts';
import { editStep, type RegistryLocation, readManifest } from './registry-location.ts';

/** A version that is to be published. */
export interface VersionToPublish {
  /** Of the app. */
  key: string;
  /** A semantic version; or major, minor or patch. */
  version: string;
  artifact: Artifact;
  /** The description with which the app is listed if the manifest does not have it; null if it has none. */
  listing: AppToAssemble | null;
  /** The release notes of a version, in Markdown; null or absent for none. */
  notes?: NotesOf | undefined;
  /** The app as it was read before: what has not changed since then is not parsed again. */
  known?: AppToPublish;
}

/**
 * Plans a version of an app, and listing the app if the manifest does not have it: the artifact, the icon, the metadata
 * file with the version, and last the manifest, so that subscribers never see an app without its first version.
 * @throws AppregError as `appToPublish` and `planVersion` do
 */
export async function planListedVersion(
  place: RegistryLocation,
  { key, version: word, artifact, listing, known, notes }: VersionToPublish,
  judgeSettings: JudgeSettings,
): Promise<VersionPlan> {
  if (listing === null)
    return planVersion(place, await appToPublish(place, key, known), { word, artifact, notes }, judgeSettings);
  const { app, isListed } = await describedAppToPublish(place, key, listing.entry);
  const version = await planVersion(place, app, { word, artifact, notes }, judgeSettings);
  if (isListed) return version;
  const manifest = await readManifest(place);
  const path = iconPath(listing);
  const icon = iconStep(listing, path === null ? null : await place.store.read(path));
  const edit = (text: string): string | null =>
    addAppEntry(documentWithText(text, manifest.path), key, listing.entry)?.text ?? null;
  const listed = editStep(manifest, app.manifest.text, edit, `the app ${key}`);
  const [artifacts, edits] = [
    version.plan.steps.filter(({ kind }) => kind === 'create'),
    version.plan.steps.filter(({ kind }) => kind !== 'create'),
  ];
  return {
    ...version,
    published: false,
    plan: { title: `Publish ${key} ${version.entry.version}`, steps: [...artifacts, ...icon, ...edits, listed] },
    files: [...version.files, ...(path === null ? [] : [path])],
  };
}

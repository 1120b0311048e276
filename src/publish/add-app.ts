import { message, type SafeText } from '../core/text/message.ts';
import { documentWithText, requireVersions } from '../author/document.ts';
import { addAppEntry, type AppEntry, appEntry } from '../author/manifest.ts';
import { newMetadata } from '../author/metadata.ts';
import type { AppFacts, Content, DocumentFacts, ImageFacts } from '../core/facts/facts.ts';
import type { Finding } from '../core/findings/report.ts';
import type { PlainFieldName, RequiredFieldName } from '../core/registry/app-fields.ts';
import { AppregError } from '../core/errors/error.ts';
import type { Store } from '../store/store.ts';
import { type JudgeSettings, judgeState, newFindings } from './check-change.ts';
import { checkNewKey } from './check-key.ts';
import { changedLines, type LineChanges, type Plan, type Step } from './plan.ts';
import { EditStep } from './edit-step.ts';
import { factsOf, NOT_OBSERVED, type RegistryLocation, readDocument, readManifest } from './registry-location.ts';

/** Plans adding an app to a registry (spec 2.1). */

/** The fields that are written as they are given. */
type PlainTexts = Partial<Record<PlainFieldName, string>> & Record<PlainFieldName & RequiredFieldName, string>;

export interface NewApp extends PlainTexts {
  key: string;
  /** A file to copy, with its detected type, or the URL of an icon that is hosted elsewhere. */
  icon: IconFile | { url: string };
  /** The URL of its metadata file; null for the default path in the workspace. */
  metadataUrl: string | null;
}

export interface IconFile {
  bytes: Uint8Array;
  content: Content;
  image: ImageFacts;
}

export interface AppPlan {
  entry: AppEntry;
  plan: Plan;
  /** The lines of the manifest that change; null if none do. */
  lines: LineChanges | null;
  /** Warnings and notes about the new app. */
  findings: Finding[];
}

/**
 * Plans an app: its icon, its metadata file, and last its entry in the manifest. A plan without steps: nothing to do.
 * @throws AppregError (exit 1) if the key or a file is taken, a document must not be edited, or a rule would be
 * violated
 */
export async function planApp(place: RegistryLocation, app: NewApp, judgeSettings: JudgeSettings): Promise<AppPlan> {
  checkNewKey(app.key);
  const manifest = await readManifest(place);
  const icon = iconTarget(place, app);
  const metadataUrl = app.metadataUrl ?? `${place.base}apps/${app.key}/versions.json`;
  const entry = appEntry({ ...app, iconUrl: icon.url, appMetadataUrl: metadataUrl });
  const listed = EditStep.of(manifest, { what: `the app ${app.key}` }, (now) => addAppEntry(now, app.key, entry));
  const steps: Step[] = [];
  if (icon.path !== null && !(await hasIcon(place.store, icon.path, icon.file.bytes)))
    steps.push({ kind: 'create', path: icon.path, bytes: icon.file.bytes, what: 'the icon' });
  const metadata = await metadataOf(place, metadataUrl);
  if (metadata.step !== null) steps.push(metadata.step);
  if (listed === null) return { entry, plan: { steps }, lines: null, findings: [] };

  steps.push(listed);
  const observed =
    icon.path === null
      ? { content: NOT_OBSERVED, image: NOT_OBSERVED }
      : { content: icon.file.content, image: icon.file.image };
  const facts: AppFacts = {
    key: app.key,
    metadata: metadata.facts,
    icon: { url: icon.url, file: icon.path, web: NOT_OBSERVED, ...observed },
    artifacts: [],
  };
  // A new app has no versions yet: they are published in the next step.
  const settingsOfNewApp: JudgeSettings = {
    ...judgeSettings,
    severities: { ...judgeSettings.severities, 'no-valid-versions': 'off' },
  };
  const findings = newFindings(
    () => judgeState({ manifest: factsOf(manifest), app: null }, settingsOfNewApp),
    { manifest: factsOf(listed.to), app: facts },
    settingsOfNewApp,
  );
  const lines = changedLines(manifest.text, listed.to.text);
  return { entry, plan: { title: `Add app ${app.key}`, steps }, lines, findings };
}

/** The URL of the icon, with the path to which its file is copied; `path` is null if it is hosted elsewhere. */
export function iconTarget(
  { base }: RegistryLocation,
  { key, icon }: Pick<NewApp, 'key' | 'icon'>,
): { path: null; url: string } | { path: string; url: string; file: IconFile } {
  if (!('bytes' in icon)) return { path: null, url: icon.url };
  const path = `apps/${key}/icon.${icon.image.kind}`;
  return { path, url: base + path, file: icon };
}

/** True if the store has this icon already. @throws AppregError `already-exists` (exit 1) if it has another one */
async function hasIcon(store: Store, path: string, bytes: Uint8Array): Promise<boolean> {
  const stored = await store.read(path);
  if (stored !== null && !Buffer.from(stored.bytes).equals(bytes))
    throw otherIconExists(path, message`Delete it if no app uses it, or choose another app key.`);
  return stored !== null;
}

/**
 * The metadata file of a new app, with the step that creates it. An existing one is kept unchanged, after checking that
 * it lists versions.
 */
async function metadataOf(place: RegistryLocation, url: string): Promise<{ facts: DocumentFacts; step: Step | null }> {
  const path = place.pathOf(url);
  if (path === null) return { facts: { url, file: null, web: NOT_OBSERVED, content: NOT_OBSERVED }, step: null };
  const existing = await readDocument(place.store, path);
  if (existing !== null) {
    requireVersions(existing);
    return { facts: factsOf(existing, url), step: null };
  }
  return { facts: factsOf(documentWithText(newMetadata(), path), url), step: createMetadata(path) };
}

/** The step that creates a metadata file without versions. */
export function createMetadata(path: string): Step {
  return { kind: 'create', path, bytes: Buffer.from(newMetadata()), what: 'the metadata file, without versions' };
}

/** The error for an icon file that is not replaced, since it is not known to be that of the app. @param hint how to go on */
export function otherIconExists(path: string, hint: SafeText): AppregError {
  return new AppregError('already-exists', message`${path} already exists, with different bytes.`, hint, {
    effect: 'none',
  });
}

import { message, type SafeText } from '../core/text/message.ts';
import { documentWithText, requireVersions } from '../author/document.ts';
import { type AppEntry, appEntry } from '../author/manifest.ts';
import { newMetadata } from '../author/metadata.ts';
import type { IconFacts } from '../core/facts/facts.ts';
import type { Finding } from '../core/findings/report.ts';
import type { PlainFieldName, RequiredFieldName } from '../core/registry/app-fields.ts';
import { AppregError } from '../core/errors/error.ts';
import type { Store } from '../store/store.ts';
import type { JudgeSettings } from './check-change.ts';
import { checkNewKey } from './check-key.ts';
import type { IconFile } from './described-app.ts';
import { changedLines, type LineChanges, type Plan, type Step } from './plan.ts';
import { listingPart } from './parts/listing.ts';
import { joined, judgeParts, NOTHING, type Part } from './parts/part.ts';
import {
  appFactsWith,
  artifactsOf,
  factsOf,
  NOT_OBSERVED,
  type RegistryLocation,
  readDocument,
  readManifest,
} from './registry-location.ts';

/** Plans adding an app to a registry (spec 2.1). */

/** The fields that are written as they are given. */
type PlainTexts = Partial<Record<PlainFieldName, string>> & Record<PlainFieldName & RequiredFieldName, string>;

/** An app to add to a registry. */
export interface NewApp extends PlainTexts {
  key: string;
  /** A file to copy, with its detected type, or the URL of an icon that is hosted elsewhere. */
  icon: IconFile | { url: string };
  /** The URL of its metadata file; null for the default path in the workspace. */
  metadataUrl: string | null;
}

/** The plan of `planApp`. */
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
  const listing = listingPart(manifest, { key: app.key, entry });
  const parts = [await newIconPart(place.store, icon), await newMetadataPart(place, metadataUrl), listing];
  const { steps } = joined(parts);
  if (listing.edit === null) return { entry, plan: { steps }, lines: null, findings: [] };
  const nothing = { url: metadataUrl, file: null, web: NOT_OBSERVED, content: NOT_OBSERVED };
  const state = { manifest: factsOf(manifest), app: appFactsWith(app.key, nothing, { url: null }) };
  // A new app has no versions yet: they are published in the next step.
  const severities = { ...judgeSettings.severities, 'no-valid-versions': 'off' } as const;
  const findings = judgeParts(parts, state, { ...judgeSettings, severities }, { isListed: false });
  const lines = changedLines(manifest.text, listing.edit.to.text);
  return { entry, plan: { title: `Add app ${app.key}`, steps }, lines, findings };
}

/** The URL of an icon, with the path to which its file is copied; `path` is null if it is hosted elsewhere. */
export type NewIcon = { path: null; url: string } | { path: string; url: string; file: IconFile };

/** @param name of the file, in the folder of the app (default: icon, with its extension) */
export function iconTarget(
  { base }: RegistryLocation,
  { key, icon }: Pick<NewApp, 'key' | 'icon'>,
  name: string | null = null,
): NewIcon {
  if (!('bytes' in icon)) return { path: null, url: icon.url };
  const path = `apps/${key}/${name ?? `icon.${icon.image.kind}`}`;
  return { path, url: base + path, file: icon };
}

/** The icon of a new app. @throws AppregError `already-exists` (exit 1) if the store has another one */
async function newIconPart(store: Store, icon: NewIcon): Promise<Part<Step>> {
  const facts = { after: { app: { icon: iconFactsOf(icon) } } };
  if (icon.path === null) return { ...NOTHING, facts };
  const { path, file } = icon;
  const stored = await store.read(path);
  if (stored !== null && !Buffer.from(stored.bytes).equals(file.bytes))
    throw otherIconExists(path, message`Delete it if no app uses it, or choose another app key.`);
  const step: Step = { kind: 'create', role: 'icon', path, bytes: file.bytes, what: 'the icon' };
  return { steps: stored === null ? [step] : [], files: [path], facts };
}

export function iconFactsOf(icon: NewIcon): IconFacts {
  const { content, image } = icon.path === null ? { content: NOT_OBSERVED, image: NOT_OBSERVED } : icon.file;
  return { url: icon.url, file: icon.path, web: NOT_OBSERVED, content, image };
}

/** The metadata file of a new app. An existing one is kept unchanged, after checking that it lists versions. */
async function newMetadataPart(place: RegistryLocation, url: string): Promise<Part<Step>> {
  const path = place.pathOf(url);
  if (path === null) return NOTHING;
  const existing = await readDocument(place.store, path);
  if (existing !== null) requireVersions(existing);
  const metadata = factsOf(existing ?? documentWithText(newMetadata(), path), url);
  return {
    steps: existing === null ? [createMetadata(path)] : [],
    files: [path],
    facts: { after: { app: { metadata, artifacts: artifactsOf(metadata) } } },
  };
}

/** The step that creates a metadata file without versions. */
export function createMetadata(path: string): Step {
  const what = 'the metadata file, without versions';
  return { kind: 'create', role: 'metadata', path, bytes: Buffer.from(newMetadata()), what };
}

/** The error for an icon file that is not replaced, since it is not known to be that of the app. @param hint how to go on */
export function otherIconExists(path: string, hint: SafeText): AppregError {
  return new AppregError('already-exists', message`${path} already exists, with different bytes.`, hint, {
    effect: 'none',
  });
}

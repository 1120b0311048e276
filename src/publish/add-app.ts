import { addApp, type AppEntry } from '../author/manifest.ts';
import { newMetadata } from '../author/metadata.ts';
import { versionsIn } from '../author/usable.ts';
import { isSafeKey, safeKeyFor } from '../core/registry/app-key.ts';
import type { AppFacts, Content, DocumentFacts, ImageFacts } from '../core/facts/facts.ts';
import type { Finding } from '../core/engine/report.ts';
import { printable, shorten } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { type JudgeSettings, newFindings } from './check-change.ts';
import { newLines } from './new-lines.ts';
import {
  NOT_OBSERVED,
  type RegistryLocation,
  readDocument,
  readManifest,
  memoizeLast,
  withText,
} from './registry-location.ts';
import type { Plan, Step } from './plan.ts';

/** Plans adding an app to a registry (spec 2.1). */

export interface NewApp {
  key: string;
  name: string;
  description: string;
  /** `#RRGGBB`. */
  color: string;
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
  /** New lines of the manifest. */
  lines: string[];
  /** Warnings and notes about the new app. */
  findings: Finding[];
}

// Device names reserved by Windows, in every folder and with any suffix.
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * Refuses a key that is not URL-safe, or not a valid folder name on every system, before a path is built from it (exit
 * 1).
 */
export function checkNewKey(key: string): void {
  checkKey(key);
  if (DEVICE.test(key))
    throw keyTrouble(key, 'is the name of a device on Windows, where no folder can have it', 'Choose another key.');
  if (key.length > 200)
    throw keyTrouble(
      key,
      `has ${key.length} characters, too many for the name of a folder`,
      'Choose a key of at most 64 characters.',
    );
}

/** Refuses a key that is not URL-safe (spec 2.1; exit 1). */
export function checkKey(key: string): void {
  if (isSafeKey(key)) return;
  const meant = safeKeyFor(key);
  throw keyTrouble(
    key,
    'cannot be an app key: only letters, digits, - and _ may stand in it',
    meant === null ? 'Choose a short name, like my-app.' : `Perhaps ${meant}?`,
  );
}

function keyTrouble(key: string, what: string, hint: string): AppregError {
  return new AppregError('app-key-invalid', `“${printable(shorten(key, 80))}” ${what}.`, hint);
}

/**
 * Plans an app: its icon, its metadata file, and last its entry in the manifest. A plan without steps: nothing to do.
 * @throws AppregError (exit 1) if the key or a file is taken, a document must not be edited, or a rule would be
 * violated
 */
export async function planApp(place: RegistryLocation, app: NewApp, judgement: JudgeSettings): Promise<AppPlan> {
  checkNewKey(app.key);
  const { store, base } = place;
  const folder = `apps/${app.key}`;
  const manifest = await readManifest(place);
  const steps: Step[] = [];

  const iconPath = 'bytes' in app.icon ? `${folder}/icon.${app.icon.image.kind}` : null;
  const iconUrl = 'bytes' in app.icon ? base + iconPath : app.icon.url;
  const metadataUrl = app.metadataUrl ?? `${base}${folder}/versions.json`;
  const entry: AppEntry = {
    name: app.name,
    description: app.description,
    blockStyle: { iconUrl, color: app.color },
    appMetadataUrl: metadataUrl,
  };
  const edit = memoizeLast((text) => addApp(text, app.key, entry, place.manifest));
  const edited = edit(manifest.text);

  if ('bytes' in app.icon) {
    const { bytes } = app.icon;
    const there = await store.read(iconPath!);
    if (there && !Buffer.from(there.bytes).equals(bytes)) throw taken(iconPath!);
    if (!there) steps.push({ kind: 'create', path: iconPath!, bytes, what: 'the icon' });
  }
  const metadataPath = place.pathOf(metadataUrl);
  let metadata: DocumentFacts = { url: metadataUrl, file: metadataPath, web: NOT_OBSERVED, content: NOT_OBSERVED };
  if (metadataPath !== null) {
    const there = await readDocument(store, metadataPath);
    // An existing metadata file is kept unchanged, after checking that it is one.
    if (there) versionsIn(there.text, metadataPath);
    else
      steps.push({
        kind: 'create',
        path: metadataPath,
        bytes: Buffer.from(newMetadata()),
        what: 'the metadata file, without versions',
      });
    metadata = withText(metadata, there?.text ?? newMetadata());
  }
  if (edited === null) return { entry, plan: { steps }, lines: [], findings: [] };
  steps.push({
    kind: 'edit',
    path: place.manifest,
    edit,
    what: `the app ${app.key}`,
  });
  const seen =
    'bytes' in app.icon
      ? { content: app.icon.content, image: app.icon.image }
      : { content: NOT_OBSERVED, image: NOT_OBSERVED };
  const facts: AppFacts = {
    key: app.key,
    metadata,
    icon: { url: iconUrl, file: iconPath, web: NOT_OBSERVED, ...seen },
    artifacts: [],
  };
  // A new app has no versions yet: they are published in the next step.
  const severities = { ...judgement.severities, 'no-valid-versions': 'off' } as const;
  const findings = newFindings(
    () => ({ manifest, app: null }),
    { manifest: withText(manifest, edited), app: facts },
    { ...judgement, severities },
  );
  return { entry, plan: { title: `Add app ${app.key}`, steps }, lines: newLines(manifest.text, edited), findings };
}

function taken(path: string): AppregError {
  return new AppregError(
    'already-exists',
    `${printable(path)} is there already, with other bytes. Nothing was changed.`,
    'Remove it if it is a leftover, or choose another app key.',
  );
}

import { message } from '../core/text/message.ts';
import type { Document } from '../author/document.ts';
import type { AppChanges } from '../author/manifest.ts';
import type { AboutAppChanges } from '../author/about.ts';
import type { Baseline, DocumentFacts } from '../core/facts/facts.ts';
import type { Finding } from '../core/findings/report.ts';
import type { JsonValue } from '../core/json/json.ts';
import { entriesOf, recordLike } from '../core/values/record.ts';
import { isSafeKey } from '../core/registry/app-key.ts';
import {
  appFields,
  type AppFields,
  iconUrlOf,
  listedVersionsIn,
  MANIFEST_FIELDS,
  manifestApps,
  versionFields,
} from '../core/registry/manifest.ts';
import { printable, safeExcerpt, shorten } from '../core/text/text.ts';
import { AppregError } from '../core/errors/error.ts';
import type { TextChange } from '../core/release/entry-changes.ts';
import { iconFactsOf, iconTarget, type NewIcon, otherIconExists } from './add-app.ts';
import type { IconFile } from './described-app.ts';
import { appFactsWith, metadataFacts, factsOf, type RegistryLocation, readDocument } from './registry-location.ts';
import type { JudgeSettings } from './check-change.ts';
import { checkNewKey } from './check-key.ts';
import { type AboutFieldChange, planAboutEdit } from './parts/about.ts';
import {
  type DescribingFolder,
  type Description,
  type DescriptionChanges,
  descriptionPart,
  iconNameIn,
  readDescription,
} from './parts/description.ts';
import { judgeParts, NOTHING, type Part } from './parts/part.ts';
import { inOrderOfRoles } from './role.ts';
import { EditStep } from './edit-step.ts';
import { withFieldChanges } from './field-changes.ts';
import { type ListedEntry, requireEntry } from './listed-app.ts';
import type { Plan, Step } from './plan.ts';

/** Plans changes to the entry of an app (spec 2.1). */

export interface AppEdit extends Omit<AppChanges, 'iconUrl'> {
  /** A file to copy, or the URL of an icon that is hosted elsewhere. */
  icon?: IconFile | { url: string };
  /** Fields of the about file. */
  about?: AboutAppChanges;
  /** The folder of the workspace that describes the app; its app.json changes together with the manifest. */
  describing?: DescribingFolder | null;
}

export interface EditPlan {
  /** The entry as it will be. */
  entry: JsonValue;
  changes: (TextChange | AboutFieldChange)[];
  plan: Plan;
  /** Warnings and notes about what changes. */
  findings: Finding[];
  /** The icon of before that the plan leaves in place although no app uses it; null if there is none. */
  unusedIcon: string | null;
}

/**
 * Plans the changes: the icon file, the entry in the manifest, and its description in the workspace. A plan without steps: nothing to do.
 * @throws AppregError (exit 1) if a document must not be edited, a file is taken, or a rule would be violated;
 * `metadata-missing` (exit 2) if the new metadata file does not exist
 */
export async function planEdit(
  place: RegistryLocation,
  app: ListedEntry,
  edits: AppEdit,
  judgeSettings: JudgeSettings,
): Promise<EditPlan> {
  const { key, manifest } = app;
  const before = appFields(app.entry);
  const description = edits.describing ? await readDescription(edits.describing) : null;
  const iconFile = edits.icon !== undefined && 'bytes' in edits.icon ? edits.icon : null;
  const iconName = description === null ? null : iconNameIn(description, iconFile);
  const icon = edits.icon === undefined ? null : newIcon(place, key, edits.icon, iconName);
  const wanted = wantedTexts(edits, icon?.url ?? null);
  const changes = changesTo(before, wanted);
  const edit = EditStep.of(manifest, { role: 'manifest', what: `the app ${printable(key)}` }, (now) =>
    withFieldChanges(now, key, changes),
  );
  const iconStep = icon === null || icon.path === null ? null : await stepForIcon(place, app, icon);
  const about = await planAboutEdit(place, key, wanted.appMetadataUrl ?? before.appMetadataUrl, edits.about ?? {});
  const defaults = {
    appMetadataUrl: `${place.base}apps/${key}/versions.json`,
    ...(iconName !== null && { iconUrl: `${place.base}apps/${key}/${iconName}` }),
  };
  const changesOfFile = { wanted, icon: iconFile, defaults };
  const described = description && (await describedPart(place, description, changesOfFile, iconStep));
  const steps = inOrderOfRoles<Step>(
    [iconStep ?? [], about.part?.steps ?? [], edit ?? [], described?.steps ?? []].flat(),
  );
  const after = edit?.to ?? manifest;
  const entry = requireEntry(after, key);
  const plan = { title: `Edit app ${printable(key)}`, steps };
  const allChanges = [...changes, ...about.changes];
  if (steps.length === 0) return { entry, changes: allChanges, plan, findings: [], unusedIcon: null };

  const metadata = await metadataStates(place, key, before.appMetadataUrl, wanted.appMetadataUrl ?? null);
  const state = { manifest: factsOf(manifest), app: appFactsWith(key, metadata.before, { url: before.iconUrl }) };
  const observed = icon === null ? { url: appFields(entry).iconUrl } : iconFactsOf(icon);
  const facts = { after: { manifest: factsOf(after), app: appFactsWith(key, metadata.after, observed) } };
  const parts = [{ steps, files: [], facts }, about.part ?? NOTHING];
  const findings = judgeParts(parts, state, { ...judgeSettings, baseline: metadata.baseline });
  return { entry, changes: allChanges, plan, findings, unusedIcon: await unusedIcon(place, after, before.iconUrl) };
}

/** The description, without an icon that is written already, because the store is the folder of the workspace. */
async function describedPart(
  { store }: RegistryLocation,
  description: Description,
  changes: DescriptionChanges,
  iconStep: Step | null,
): Promise<Part<Step>> {
  const part = await descriptionPart(description, changes);
  const isSameFolder = store.folder !== undefined && store.folder === description.workspace.folder;
  return isSameFolder ? { ...part, steps: part.steps.filter(({ path }) => path !== iconStep?.path) } : part;
}

function newIcon(
  place: RegistryLocation,
  key: string,
  icon: NonNullable<AppEdit['icon']>,
  name: string | null,
): NewIcon {
  // The path of the file is made from the key.
  if ('bytes' in icon) checkNewKey(key);
  return iconTarget(place, { key, icon }, name);
}

/** The new texts, in the order of the fields. */
function wantedTexts(edit: AppEdit, iconUrl: string | null): AppChanges {
  const texts: AppChanges = { ...edit, ...(iconUrl !== null && { iconUrl }) };
  return recordLike<AppChanges, string>(
    MANIFEST_FIELDS.flatMap(({ name }) => {
      const text = texts[name];
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}

function changesTo(before: AppFields, wanted: AppChanges): TextChange[] {
  return entriesOf(wanted).flatMap(([field, after]) =>
    after === undefined || before[field] === after ? [] : [{ field, before: before[field], after }],
  );
}

/** Creates the icon file, or replaces that of the app; null if the store has it. */
async function stepForIcon(
  place: RegistryLocation,
  { key, manifest }: ListedEntry,
  { path, file }: Extract<NewIcon, { path: string }>,
): Promise<Step | null> {
  const { bytes } = file;
  const stored = await place.store.read(path);
  if (stored === null) return { kind: 'create', role: 'icon', path, bytes, what: 'the icon' };
  if (Buffer.from(stored.bytes).equals(bytes)) return null;
  const users = usersOfIcon(place, manifest, path);
  if (!users.includes(key))
    throw otherIconExists(path, message`Delete it if no app uses it, or give the URL of an icon: --icon <url>`);
  if (users.length > 1) throw sharedIcon(path, key, users);
  return { kind: 'replace', role: 'icon', path, bytes, what: 'the icon, changed' };
}

/** Replacing it would change the icon of the other apps, too. */
function sharedIcon(path: string, key: string, users: readonly string[]): AppregError {
  const others = users.filter((user) => user !== key);
  const [first = ''] = others;
  const shown = others.slice(0, 5).map((user) => printable(shorten(user, 80)));
  const shownOthers = shown.join(', ') + (others.length > 5 ? ` and ${others.length - 5} more` : '');
  return new AppregError(
    'icon-shared',
    message`${path} is also the icon of ${shownOthers}.`,
    message`Give ${others.length === 1 ? 'that app an icon file of its own' : 'those apps icon files of their own'} first: appreg edit-app ${isSafeKey(first) ? first : '<key>'} --icon <file>`,
    { effect: 'none' },
  );
}

interface MetadataStates {
  before: DocumentFacts;
  after: DocumentFacts;
  /** The versions that the app had, if its metadata file becomes another one. */
  baseline: Baseline | null;
}

/** The metadata file before and after. It is read only if it becomes another one. */
async function metadataStates(
  place: RegistryLocation,
  key: string,
  listed: string | null,
  wanted: string | null,
): Promise<MetadataStates> {
  if (wanted === null || wanted === listed) {
    const facts = { ...(await metadataFacts(place, null)), url: listed };
    return { before: facts, after: facts, baseline: null };
  }
  const before = await metadataFacts(place, listed);
  const path = place.pathOf(wanted);
  if (path !== null && (await readDocument(place.store, path)) === null)
    throw new AppregError(
      'metadata-missing',
      message`The metadata file ${path} does not exist, so the app would disappear for subscribers.`,
      message`Copy the metadata file there first.`,
      { effect: 'none' },
    );
  const versions = (listedVersionsIn(before.content) ?? []).flatMap((item) => {
    const { version, artifactUrl, artifactChecksum } = versionFields(item);
    return version === null || artifactUrl === null || artifactChecksum === null
      ? []
      : [{ version, artifactUrl, artifactChecksum }];
  });
  const baseline = { source: before.file ?? safeExcerpt(listed ?? ''), keys: [key], app: () => versions };
  return { before, after: await metadataFacts(place, wanted), baseline: versions.length === 0 ? null : baseline };
}

/** The file of the icon of before, if it exists and no app of the new manifest uses it. */
async function unusedIcon(place: RegistryLocation, after: Document, url: string | null): Promise<string | null> {
  const path = url === null ? null : place.pathOf(url);
  if (path === null) return null;
  const isUsed = usersOfIcon(place, after, path).length > 0;
  return !isUsed && (await place.store.digest(path)) !== null ? path : null;
}

/** The keys of the apps whose icon is a file. */
function usersOfIcon(place: RegistryLocation, manifest: Document, path: string): string[] {
  return Object.entries(manifestApps(manifest.value) ?? {}).flatMap(([key, entry]) => {
    const url = iconUrlOf(entry);
    return url !== null && place.pathOf(url) === path ? [key] : [];
  });
}

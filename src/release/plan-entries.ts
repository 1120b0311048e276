import type { LockedDescription, LockFile } from '../core/registry/lock-file.ts';
import { type EntryChanges, hasWrites, NO_CHANGES } from '../core/release/entry-changes.ts';
import { counted, printable } from '../core/text/text.ts';
import type { AppregError } from '../core/errors/error.ts';
import { applyPlan } from '../publish/apply-plan.ts';
import type { JudgeSettings } from '../publish/check-change.ts';
import type { AppToAssemble } from '../publish/described-app.ts';
import type { RecordedDescription } from '../publish/lock-step.ts';
import { type EntryPart, entryPart } from '../publish/parts/entry.ts';
import { judgeParts } from '../publish/parts/part.ts';
import type { Step } from '../publish/plan.ts';
import { appFactsWith, factsOf, NOT_OBSERVED, type RegistryLocation } from '../publish/registry-location.ts';
import type { StoredDocument } from '../publish/stored-document.ts';
import { inPool } from '../store/pool.ts';
import { errorOfApp } from './outcome.ts';

/** The texts and icons of listed apps, as a release publishes them. */

/** The plan for the entry of an app. */
export interface PlannedEntry {
  kind: 'planned-entry';
  app: AppToAssemble;
  /** Its texts as they were recorded before. */
  recorded: LockedDescription | undefined;
  part: EntryPart;
}

/** The result for the texts and the icon of an app. */
export interface PublishedEntry {
  kind: 'entry';
  app: AppToAssemble;
  changes: EntryChanges;
  /** The reason why they are not published; of published ones, why they are missing from a lock file. */
  error: AppregError | null;
}

export interface EntriesPlan {
  entries: PlannedEntry[];
  /** The results of those that cannot be published. */
  refused: PublishedEntry[];
}

/**
 * Plans the texts and icons of listed apps, and writes nothing. An app that is no longer listed has none.
 * @param lock what was last published of each app
 * @throws AppregError if the run was interrupted
 */
export async function planEntries(
  place: RegistryLocation,
  manifest: StoredDocument,
  lock: LockFile,
  apps: readonly AppToAssemble[],
  { jobs, judgeSettings }: { jobs: number; judgeSettings: JudgeSettings },
): Promise<EntriesPlan> {
  const planned = new Map<AppToAssemble, PlannedEntry | PublishedEntry>();
  await inPool(apps, Math.max(1, Math.min(jobs, apps.length)), async (app) => {
    const recorded = lock.descriptions.get(app.key);
    const planning = await planEntry(place, manifest, { app, recorded }, judgeSettings);
    if (planning !== null) planned.set(app, planning);
  });
  const inOrder = apps.flatMap((app) => planned.get(app) ?? []);
  return {
    entries: inOrder.flatMap((one) => (one.kind === 'planned-entry' ? one : [])),
    refused: inOrder.flatMap((one) => (one.kind === 'entry' ? one : [])),
  };
}

/** @returns null for an app that is not listed; an expected error is its result */
async function planEntry(
  place: RegistryLocation,
  manifest: StoredDocument,
  { app, recorded }: Pick<PlannedEntry, 'app' | 'recorded'>,
  judgeSettings: JudgeSettings,
): Promise<PlannedEntry | PublishedEntry | null> {
  let changes = NO_CHANGES;
  try {
    const part = await entryPart(place, manifest, app, recorded);
    if (part === null) return null;
    changes = part.changes;
    judgeEntry(manifest, app, part, judgeSettings);
    return { kind: 'planned-entry', app, recorded, part };
  } catch (error) {
    return { kind: 'entry', app, changes, error: errorOfApp(error) };
  }
}

/** @throws AppregError (exit 1) if the entry would introduce an error */
function judgeEntry(manifest: StoredDocument, app: AppToAssemble, part: EntryPart, judgeSettings: JudgeSettings): void {
  if (part.steps.length === 0) return;
  const metadata = { url: app.entry.appMetadataUrl, file: null, web: NOT_OBSERVED, content: NOT_OBSERVED };
  const url = app.entry.blockStyle.iconUrl;
  const state = { manifest: factsOf(manifest), app: appFactsWith(app.key, metadata, { url }) };
  judgeParts([part], state, judgeSettings);
}

/**
 * The same entries on a manifest that was read again: others may have changed them. Their icons stay as they were planned,
 * and may be stored by now.
 */
export async function planTextsAgain(
  place: RegistryLocation,
  manifest: StoredDocument,
  planned: readonly PlannedEntry[],
  judgeSettings: JudgeSettings,
): Promise<EntriesPlan> {
  const entries: PlannedEntry[] = [];
  const refused: PublishedEntry[] = [];
  for (const one of planned) {
    const { part: before } = one;
    if (before.edit === null || before.edit.from.token === manifest.token) {
      entries.push(one);
      continue;
    }
    const again = await planEntry(place, manifest, one, judgeSettings);
    if (again?.kind === 'entry') refused.push(again);
    else if (again !== null) {
      const changes = { ...again.part.changes, icon: before.changes.icon };
      entries.push({ ...again, part: { ...again.part, changes } });
    }
  }
  return { entries, refused };
}

/** The steps that store icons. */
export function iconSteps(entries: readonly PlannedEntry[]): Step[] {
  return entries.flatMap(({ part }) => part.steps.filter(({ role }) => role === 'icon'));
}

/** The texts that the lock files record once the entries are published. */
export function descriptionsOf(entries: readonly PlannedEntry[]): RecordedDescription[] {
  return entries.map(({ app, part }) => ({ app: app.key, texts: part.toRecord }));
}

/** @throws as `errorOfApp` does */
export function notPublished({ app, part }: Pick<PlannedEntry, 'app' | 'part'>, error: unknown): PublishedEntry {
  return { kind: 'entry', app, changes: part.changes, error: errorOfApp(error) };
}

/** The result of an entry that was published, or whose publication was planned. */
export function publishedEntry(
  { app, part }: PlannedEntry,
  { isPlanned = false, notRecorded = null }: { isPlanned?: boolean; notRecorded?: AppregError | null } = {},
): PublishedEntry {
  const published = !isPlanned && hasWrites(part.changes);
  return { kind: 'entry', app, changes: { ...part.changes, published }, error: notRecorded };
}

/**
 * Stores the icons of entries, several at a time. One that cannot be stored stops no other.
 * @throws AppregError if the run was interrupted
 */
export async function storeIcons(
  { store }: RegistryLocation,
  { entries }: Pick<EntriesPlan, 'entries'>,
  jobs: number,
): Promise<EntriesPlan> {
  const failures = new Map<PlannedEntry, PublishedEntry>();
  await inPool(entries, jobs, async (one) => {
    const steps = iconSteps([one]);
    if (steps.length === 0) return;
    await applyPlan({ title: `Update ${steps.map(({ what }) => what).join(', ')}`, steps }, store).catch(
      (error: unknown) => void failures.set(one, notPublished(one, error)),
    );
  });
  return { entries: entries.filter((one) => !failures.has(one)), refused: [...failures.values()] };
}

/** `Update app clock`, or `Update 3 apps`; null if no entry changes. */
export function titleOfEntries(entries: readonly PlannedEntry[]): string | null {
  const keys = entries.filter(({ part }) => hasWrites(part.changes)).map(({ app }) => app.key);
  if (keys.length === 0) return null;
  const title = `update ${keys.length === 1 ? 'app' : 'apps'} ${printable(keys.join(', '))}`;
  return title.length <= 60 ? title : `update ${counted(keys.length, 'app')}`;
}

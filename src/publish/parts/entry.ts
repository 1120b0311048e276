import { member } from '../../core/json/json.ts';
import type { LockedDescription } from '../../core/registry/lock-file.ts';
import { appFields, manifestApps } from '../../core/registry/manifest.ts';
import { type EntryChanges, entryChanges } from '../../core/release/entry-changes.ts';
import { printable } from '../../core/text/text.ts';
import { type AppToAssemble, textsOf } from '../described-app.ts';
import { withFieldChanges } from '../field-changes.ts';
import { EditStep } from '../edit-step.ts';
import { factsOf, type RegistryLocation } from '../registry-location.ts';
import type { StoredDocument } from '../stored-document.ts';
import { iconFacts, iconPath } from './icon.ts';
import type { Part } from './part.ts';
import type { Step } from '../plan.ts';

/** The icon file and the texts that a listed app gets from its folder. */
export interface EntryPart extends Part<Step> {
  changes: EntryChanges;
  /** The texts to record, once they are published. */
  toRecord: LockedDescription;
  /** The step for the manifest; null if it stays. */
  edit: EditStep | null;
}

/**
 * The texts and the icon of a listed app that its folder changed since they were last published.
 * @param recorded the texts of its folder at that time
 * @returns null if the manifest does not list it
 */
export async function entryPart(
  { store }: RegistryLocation,
  manifest: StoredDocument,
  app: AppToAssemble,
  recorded: LockedDescription | undefined,
): Promise<EntryPart | null> {
  const { key, image } = app;
  const entry = member(manifestApps(manifest.value) ?? {}, key);
  if (entry === undefined) return null;
  const path = iconPath(app);
  const stored = path === null ? null : await store.digest(path);
  const published = { fields: appFields(entry), iconSha256: stored?.sha256 ?? null };
  const { toRecord, ...changes } = entryChanges(textsOf(app), published, recorded);
  const edit = EditStep.of(manifest, { role: 'manifest', what: `the app ${printable(key)}` }, (now) =>
    withFieldChanges(now, key, changes.fields),
  );
  const what = stored === null ? `the icon of ${key}` : `the icon of ${key}, changed`;
  const icon: Step[] =
    changes.icon === null || path === null || image === null
      ? []
      : [{ kind: stored === null ? 'create' : 'replace', role: 'icon', path, bytes: image.bytes, what }];
  const facts = {
    after: {
      ...(edit !== null && { manifest: factsOf(edit.to) }),
      ...(icon.length > 0 && { app: { icon: iconFacts(app) } }),
    },
  };
  const steps = [...icon, ...(edit === null ? [] : [edit])];
  return { changes, toRecord, edit, steps, files: [...(path === null ? [] : [path]), manifest.path], facts };
}

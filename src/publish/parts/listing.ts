import { addAppEntry } from '../../author/manifest.ts';
import type { AppToAssemble } from '../described-app.ts';
import { EditStep } from '../edit-step.ts';
import { factsOf } from '../registry-location.ts';
import type { StoredDocument } from '../stored-document.ts';
import type { Part } from './part.ts';

/** The manifest, with the step that lists an app; null if the manifest has its entry. */
export interface ListingPart extends Part<EditStep> {
  edit: EditStep | null;
}

/** The entry of a described app. @throws AppregError `already-exists` (exit 1) for another entry */
export function listingPart(
  manifest: StoredDocument,
  { key, entry }: Pick<AppToAssemble, 'key' | 'entry'>,
): ListingPart {
  const edit = EditStep.of(manifest, { role: 'manifest', what: `the app ${key}` }, (now) =>
    addAppEntry(now, key, entry),
  );
  const files = [manifest.path];
  if (edit === null) return { edit, steps: [], files };
  return { edit, steps: [edit], files, facts: { after: { manifest: factsOf(edit.to) } } };
}

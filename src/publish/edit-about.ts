import { type AboutAppChanges, requireAbout, setAboutApp } from '../author/about.ts';
import { AppregError } from '../core/errors.ts';
import { entriesOf } from '../core/record.ts';
import { message } from '../core/text/message.ts';
import { printable, safeExcerpt } from '../core/text/text.ts';
import { type AboutEdit, aboutEdit, readAbout } from './about.ts';
import type { RegistryLocation } from './registry-location.ts';

/** A field of the about file that differs. */
export interface AboutFieldChange {
  field: keyof AboutAppChanges;
  before: string | null;
  after: string;
}

/**
 * Plans changes to what the about file says about an app.
 * @param metadataUrl of the app; null if it has none
 * @returns no edit if nothing changes
 * @throws AppregError `metadata-outside-workspace` (exit 2) if the file would be elsewhere; `about-invalid` and
 * `document-invalid` (exit 1) if it must not be edited
 */
export async function planAboutEdit(
  place: RegistryLocation,
  key: string,
  metadataUrl: string | null,
  wanted: AboutAppChanges,
): Promise<{ edit: AboutEdit | null; changes: AboutFieldChange[] }> {
  if (Object.keys(wanted).length === 0) return { edit: null, changes: [] };
  const metadata = metadataUrl === null ? null : place.pathOf(metadataUrl);
  if (metadata === null)
    throw new AppregError(
      'metadata-outside-workspace',
      message`The about file of “${key}” is beside its metadata file, which is not in this workspace: its URL is ${safeExcerpt(metadataUrl ?? 'missing')}.`,
      message`Edit it in the workspace that contains the metadata file.`,
    );
  const about = await readAbout(place, metadata);
  const { app } = requireAbout(about.document);
  const changes = entriesOf(wanted).flatMap(([field, after]) =>
    after === undefined || app[field] === after ? [] : [{ field, before: app[field], after }],
  );
  const edit = aboutEdit(about, (document) => setAboutApp(document, wanted), `what is said about ${printable(key)}`);
  return { edit, changes };
}

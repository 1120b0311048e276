import { newAbout, type AboutAppChanges, requireAbout, setAboutApp } from '../../author/about.ts';
import { aboutPath } from '../../core/registry/companion.ts';
import { type Change, EditStep } from '../edit-step.ts';
import { factsOf, type RegistryLocation, readDocument } from '../registry-location.ts';
import { StoredDocument } from '../stored-document.ts';
import { AppregError } from '../../core/errors/error.ts';
import { entriesOf } from '../../core/values/record.ts';
import { message } from '../../core/text/message.ts';
import { printable, safeExcerpt } from '../../core/text/text.ts';
import type { Part } from './part.ts';

/** Plans changes to the about file of an app. */

/**
 * Reads the about file beside a metadata file; one that does not exist begins empty.
 * @throws AppregError `document-invalid` (exit 1) for a file that must not be edited
 */
export async function readAbout({ store }: RegistryLocation, metadata: string): Promise<StoredDocument> {
  const path = aboutPath(metadata);
  return (await readDocument(store, path)) ?? StoredDocument.missing(path, newAbout());
}

/** The release notes of a version, in Markdown; null for none. */
export type NotesOf = (version: string) => string | null;

/** The about file of an app, with the step that changes it. */
interface AboutPart extends Part<EditStep> {
  /** The texts before and after. */
  texts: readonly [before: string, after: string];
}

/**
 * The change of an about file; null if nothing changes. It is computed again for a file that was changed after it was
 * read, so that concurrent changes are all kept.
 * @param what such as `the notes of clock 1.2.0`
 */
export function aboutPart(about: StoredDocument, change: Change, what: string): AboutPart | null {
  const step = EditStep.of(about, { role: 'notes', what }, change);
  if (step === null) return null;
  const before = step.isNew ? {} : { app: { about: factsOf(about) } };
  return {
    steps: [step],
    files: [about.path],
    facts: { before, after: { app: { about: factsOf(step.to) } } },
    texts: [step.isNew ? '' : about.text, step.to.text],
  };
}

/** A field of the about file that differs. */
export interface AboutFieldChange {
  field: keyof AboutAppChanges;
  before: string | null;
  after: string;
}

/**
 * Plans changes to what the about file says about an app.
 * @param metadataUrl of the app; null if it has none
 * @returns no part if nothing changes
 * @throws AppregError `metadata-outside-workspace` (exit 2) if the file would be elsewhere; `about-invalid` and
 * `document-invalid` (exit 1) if it must not be edited
 */
export async function planAboutEdit(
  place: RegistryLocation,
  key: string,
  metadataUrl: string | null,
  wanted: AboutAppChanges,
): Promise<{ part: AboutPart | null; changes: AboutFieldChange[] }> {
  if (Object.keys(wanted).length === 0) return { part: null, changes: [] };
  const metadata = metadataUrl === null ? null : place.pathOf(metadataUrl);
  if (metadata === null)
    throw new AppregError(
      'metadata-outside-workspace',
      message`The about file of “${key}” is beside its metadata file, which is not in this workspace: its URL is ${safeExcerpt(metadataUrl ?? 'missing')}.`,
      message`Edit it in the workspace that contains the metadata file.`,
    );
  const about = await readAbout(place, metadata);
  const { app } = requireAbout(about);
  const changes = entriesOf(wanted).flatMap(([field, after]) =>
    after === undefined || app[field] === after ? [] : [{ field, before: app[field], after }],
  );
  const part = aboutPart(about, (document) => setAboutApp(document, wanted), `what is said about ${printable(key)}`);
  return { part, changes };
}

import {
  newAbout,
  setVersionNotes,
  type VersionNotes,
  type AboutAppChanges,
  requireAbout,
  setAboutApp,
} from '../author/about.ts';
import { aboutPath } from '../core/registry/companion.ts';
import { readAboutFile } from '../core/about/about-file.ts';
import type { DocumentFacts } from '../core/facts/facts.ts';
import { type Change, EditStep } from './edit-step.ts';
import { factsOf, type RegistryLocation, readDocument } from './registry-location.ts';
import { StoredDocument } from './stored-document.ts';
import { AppregError } from '../core/errors/error.ts';
import { entriesOf } from '../core/values/record.ts';
import { message } from '../core/text/message.ts';
import { printable, safeExcerpt } from '../core/text/text.ts';

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

/** A planned change: the step, and the file as facts, before and after. */
export interface AboutEdit {
  step: EditStep;
  before: DocumentFacts | null;
  after: DocumentFacts;
  /** The texts before and after. */
  texts: readonly [before: string, after: string];
}

/**
 * The step that changes an about file; null if nothing changes. It is computed again for a file that was changed after
 * it was read, so that concurrent changes are all kept.
 * @param what such as `the notes of clock 1.2.0`
 */
export function aboutEdit(about: StoredDocument, change: Change, what: string): AboutEdit | null {
  const step = EditStep.of(about, { what }, change);
  if (step === null) return null;
  return {
    step,
    before: step.isNew ? null : factsOf(about),
    after: factsOf(step.to),
    texts: [step.isNew ? '' : about.text, step.to.text],
  };
}

/**
 * What is written about a version that is published: its notes, and when it is published. Without notes, nothing is
 * read, since each request to a store takes time.
 */
export async function versionNotesEdit(
  place: RegistryLocation,
  metadata: string,
  of: { key: string; version: string },
  notes: VersionNotes,
): Promise<AboutEdit | null> {
  if (notes.notes === null) return null;
  const about = await readAbout(place, metadata);
  const change: Change = (document) => setVersionNotes(document, of.version, notes);
  const known = readAboutFile(about.content).about?.versions.get(of.version)?.notes ?? null;
  const before = known === null ? '' : `, in place of “${safeExcerpt(known, 60)}”`;
  return aboutEdit(about, change, `the notes of ${of.key} ${of.version}${before}`);
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
  const { app } = requireAbout(about);
  const changes = entriesOf(wanted).flatMap(([field, after]) =>
    after === undefined || app[field] === after ? [] : [{ field, before: app[field], after }],
  );
  const edit = aboutEdit(about, (document) => setAboutApp(document, wanted), `what is said about ${printable(key)}`);
  return { edit, changes };
}

import { setVersionNotes } from '../../author/about.ts';
import { readAboutFile } from '../../core/about/about-file.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import type { ChosenVersion } from '../artifact.ts';
import type { RegistryLocation } from '../registry-location.ts';
import { aboutPart, type NotesOf, readAbout } from './about.ts';
import { NOTHING, type Part } from './part.ts';

/**
 * Plans the entry of the about file for a version: its notes, and when it is published. They are written before the
 * version is listed: after an interruption, the same command finds and keeps them. Without notes, the file is not read,
 * since each request to a store takes time.
 * @param metadata the path of the metadata file
 * @param now of this machine, for a store without a clock
 */
export async function notesPart(
  place: RegistryLocation,
  { key, listed, entry: { version } }: ChosenVersion,
  { metadata, notesOf, now }: { metadata: string; notesOf: NotesOf | undefined; now: string },
): Promise<Part> {
  const notes = notesOf?.(version) ?? null;
  if (notes === null) return NOTHING;
  const about = await readAbout(place, metadata);
  const published = listed === null ? presentTime(place, now) : null;
  const known = readAboutFile(about.content).about?.versions.get(version)?.notes ?? null;
  const before = known === null ? '' : `, in place of “${safeExcerpt(known, 60)}”`;
  const what = `the notes of ${key} ${version}${before}`;
  const part = aboutPart(about, (document) => setVersionNotes(document, version, { published, notes }), what);
  return part ?? { ...NOTHING, files: [about.path] };
}

/** That of the store, if it has a clock. */
function presentTime({ store }: RegistryLocation, now: string): string {
  const time = store.now?.() ?? null;
  return (time === null ? now : new Date(time).toISOString()).replace(/\.\d+Z$/, 'Z');
}

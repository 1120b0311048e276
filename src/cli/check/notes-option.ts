import { sectionOf } from '../../core/about/changelog.ts';
import { AppregError } from '../../core/errors/error.ts';
import { documentContent } from '../../core/json/json.ts';
import { message } from '../../core/text/message.ts';
import type { Context } from '../config/context.ts';
import { readInputFile } from '../io/input-file.ts';

interface NotesOptions {
  notes?: string | undefined;
  notesFrom?: string | undefined;
}

/**
 * The notes of a version, from --notes or --notes-from; undefined if neither is given.
 * @throws AppregError `file-unreadable` (exit 2). The function that it returns throws `notes-missing` (exit 2) for a
 * version that the changelog does not have
 */
export function notesOf(
  { cwd }: Context,
  { notes, notesFrom }: NotesOptions,
): ((version: string) => string) | undefined {
  if (notes !== undefined && notesFrom !== undefined)
    throw new AppregError(
      'option-conflict',
      message`--notes and --notes-from exclude each other.`,
      message`Remove one of the options.`,
    );
  if (notes !== undefined) {
    const namesFile = notes === '-' || notes.startsWith('@');
    const text = namesFile ? readText(cwd, notes.replace(/^@/, '')) : notes;
    if (text.trim() === '')
      throw new AppregError(
        'notes-missing',
        message`The notes of --notes are empty.`,
        message`Give a text, or omit --notes to publish without notes.`,
        { effect: 'none' },
      );
    return () => text;
  }
  if (notesFrom === undefined) return undefined;
  const changelog = readText(cwd, notesFrom);
  return (version) => {
    const section = sectionOf(changelog, version);
    if (section !== null) return section;
    throw new AppregError(
      'notes-missing',
      message`${notesFrom} has no section of version ${version}.`,
      message`Add a heading with the version, such as ## ${version}, or give the notes with --notes.`,
      { effect: 'none' },
    );
  };
}

/** @throws AppregError `file-unreadable` (exit 2), also for a file that is not UTF-8 */
function readText(cwd: string, file: string): string {
  const { text } = documentContent(readInputFile(cwd, file));
  if (text !== null) return text.replace(/^\ufeff/, '');
  throw new AppregError(
    'file-unreadable',
    message`${file} is not UTF-8, so the notes cannot be taken from it.`,
    message`Save it as UTF-8.`,
  );
}

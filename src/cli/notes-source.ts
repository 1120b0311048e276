import { resolve } from 'node:path';
import { sectionOf } from '../core/about/changelog.ts';
import { AppregError } from '../core/errors.ts';
import { message } from '../core/text/message.ts';
import type { Context } from './context.ts';
import { readInputFile } from './input-file.ts';

/** The release notes that `publish-version` is given. */

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
    const text = notes.startsWith('@') ? readText(cwd, notes.slice(1)) : notes;
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

function readText(cwd: string, file: string): string {
  return readInputFile(resolve(cwd, file), file)
    .toString('utf8')
    .replace(/^\ufeff/, '');
}

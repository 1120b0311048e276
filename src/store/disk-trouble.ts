import { printable } from '../core/text.ts';
import { isTrouble, Trouble } from '../core/trouble.ts';

/** The code of a system error, or '' of anything else. */
export function errno(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return (error as NodeJS.ErrnoException).code ?? '';
}

// code, what happened to the file, what to do
const KNOWN: Record<string, [string, string, string]> = {
  ENOSPC: ['disk-full', 'the disk is full', 'Free some space, then run the same command again.'],
  EDQUOT: ['disk-full', 'the disk quota is used up', 'Free some space, then run the same command again.'],
  EFBIG: [
    'file-too-large',
    'the file is larger than allowed',
    'Raise the limit (ulimit -f), or use another file system.',
  ],
  EROFS: ['read-only', 'the file system is read-only', 'Mount it writable, or work on a copy elsewhere.'],
  EACCES: ['no-permission', 'permission was denied', 'Look at the permissions of the file and of its folder.'],
  EPERM: [
    'no-permission',
    'the operation is not permitted',
    'Look at the owner and attributes of the file and of its folder.',
  ],
  EMFILE: ['too-many-files', 'too many files are open', 'Raise the limit (ulimit -n), or close other programs.'],
  ENFILE: ['too-many-files', 'too many files are open on this machine', 'Close other programs, then run it again.'],
  ENAMETOOLONG: ['name-too-long', 'the name is too long for this file system', 'Choose a shorter name.'],
  ENOTDIR: [
    'not-a-folder',
    'a part of its path is a file, not a folder',
    'Choose another path, or move that file away.',
  ],
  EISDIR: ['not-a-file', 'it is a folder', 'Name a file.'],
  ELOOP: ['link-loop', 'its symbolic links lead in a circle', 'Remove or mend the links.'],
  ENOENT: ['no-folder', 'its folder is not there', 'Make the folder first.'],
  EBUSY: ['file-busy', 'another program holds it', 'Close the program that has it open, then run it again.'],
  EIO: ['disk-error', 'the disk reports an error', 'Check the disk before you go on.'],
};

/**
 * A system error as trouble that names the file and what holds now; anything else comes back as it is.
 * @param holds what the user can rely on, as a sentence
 */
export function diskTrouble(error: unknown, path: string, holds = 'Nothing was changed.'): unknown {
  if (isTrouble(error)) return error;
  const code = errno(error);
  if (code === '' || (error as NodeJS.ErrnoException).syscall === undefined) return error;
  const [id, what, hint] = KNOWN[code] ?? [
    'disk-error',
    `the system says ${code}`,
    'Mend that, then run the same command again.',
  ];
  return new Trouble(id, `Cannot write ${printable(path)}: ${what} (${code}). ${holds}`, hint, { cause: error });
}

import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Bundle } from '../../../bundle/bundle.ts';
import { AppregError } from '../../../core/errors/error.ts';
import { message } from '../../../core/text/message.ts';
import { makeFolderSync, whyNotUsable } from '../../../platform/make-folder.ts';
import { checkContent, type ContentSettings } from '../../../publish/check-content.ts';
import { inspectBytes } from '../../../release/inspect-artifact.ts';
import { replaceFile, requireWritableFile } from '../../../store/directory/atomic.ts';
import { stopIfInterrupted } from '../../../store/interrupt.ts';

/** What `bundle` does with the archive. It is loaded while the code is built. */

/**
 * Scans the content of the archive.
 * @param built the archive, and what it was built from
 * @param cwd the working folder, which it should not name
 * @returns the warnings
 * @throws AppregError `rule-violation` (exit 1)
 */
export async function checkArchive(
  built: Pick<Bundle, 'archive' | 'modules'>,
  cwd: string,
  settings: ContentSettings,
): Promise<string[]> {
  return checkContent(await inspectBytes(built.archive, cwd, built), settings);
}

/**
 * Writes the archive atomically, and its bill of materials.
 * @param file absolute; its folder is created if it is missing, and removed again if the file cannot be written
 * @throws AppregError `immutable` (exit 1) for the artifact of a listed version with other bytes
 */
export async function writeFiles(
  file: string,
  archive: Uint8Array,
  bill: { path: string; bytes: Uint8Array } | null,
): Promise<void> {
  stopIfInterrupted();
  const folder = dirname(file);
  // The metadata file of a published artifact; few archives are written beside one.
  if (existsSync(`${folder}.json`)) (await import('./published.ts')).refusePublished(file, archive);
  if (bill !== null) await requireWritableFile(bill.path);
  const madeFolders = createFolder(folder);
  try {
    await replaceFile(file, archive);
  } catch (error) {
    if (madeFolders !== undefined) removeFolders(folder, madeFolders);
    throw error;
  }
  if (bill !== null) await replaceFile(bill.path, bill.bytes);
}

/** The topmost folder that was created, if any. */
function createFolder(folder: string): string | undefined {
  try {
    return makeFolderSync(folder);
  } catch (error) {
    throw new AppregError(
      'output-unwritable',
      message`The folder ${folder} cannot be created: ${whyNotUsable(error)}.`,
      message`Choose another output, or create the folder first.`,
      { cause: error },
    );
  }
}

/** From the innermost folder up to `top`, as long as they are empty: another process may have created files there. */
function removeFolders(folder: string, top: string): void {
  for (let at = folder; at.length >= top.length && readdirSync(at).length === 0; at = dirname(at)) rmdirSync(at);
}

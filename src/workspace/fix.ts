import { join } from 'node:path';
import { type Fix, fixDocument } from '../author/fix.ts';
import { isAppregError } from '../core/errors/error.ts';
import type { SafeText } from '../core/text/message.ts';
import { manifestAppsIn, metadataUrlOf } from '../core/registry/manifest.ts';
import { readDocumentFile } from '../observe/workspace/documents.ts';
import { openPlaces } from '../observe/workspace/places.ts';
import type { LintTarget } from '../observe/workspace/target.ts';
import { openDirectory } from '../store/directory/directory.ts';

/** A file with errors that have only one possible correction. */
export interface FixedFile {
  /** Relative to the workspace. */
  path: string;
  /** The key of the app whose metadata file it is; null for the manifest, and for a file that was named directly. */
  app: string | null;
  /** The corrections; null if nothing was written. */
  fixes: readonly Fix[] | null;
  /** The reason why the path is refused; null if another process changed the file in the meantime. */
  refused: SafeText | null;
}

/** Corrects the files of a target. @param onFile called for each file with such errors, after it is written */
export async function fixFiles(target: LintTarget, onFile: (file: FixedFile) => void): Promise<void> {
  const { workspace } = target;
  const store = openDirectory(workspace.root);
  if (target.kind === 'metadata') return fixOne(target.path, 'metadata', null);
  // The manifest first: a fixed URL may lead to a metadata file.
  await fixOne(workspace.manifest, 'manifest', null);
  const content = readDocumentFile(join(workspace.root, workspace.manifest));
  const apps = typeof content === 'string' ? null : manifestAppsIn(content);
  const urls = Object.entries(apps ?? {}).flatMap(([key, entry]) => {
    const url = metadataUrlOf(entry);
    return url === null ? [] : [{ key, url }];
  });
  const pathOf = openPlaces(
    workspace,
    urls.map(({ url }) => url),
  ).pathOf;
  for (const { key, url } of urls) {
    const path = pathOf(url);
    if (path !== null) await fixOne(path, 'metadata', key);
  }

  async function fixOne(path: string, document: 'manifest' | 'metadata', app: string | null): Promise<void> {
    const content = readDocumentFile(join(workspace.root, path));
    if (typeof content === 'string' || content.text === null || content.cut) return;
    const { text, fixes } = fixDocument(document, content.text);
    if (fixes.length === 0) return;
    try {
      const stored = await store.read(path);
      const isSame = stored !== null && Buffer.from(stored.bytes).toString('utf8') === content.text;
      const done = isSame ? await store.replace(path, Buffer.from(text), stored.token) : 'changed';
      onFile({ path, app, fixes: done === 'changed' ? null : fixes, refused: null });
    } catch (error) {
      // Such as a link out of the workspace: the other files can be corrected.
      if (!isAppregError(error) || error.code !== 'path-refused') throw error;
      onFile({ path, app, fixes: null, refused: error.summary });
    }
  }
}

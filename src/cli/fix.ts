import { message } from '../core/text/message.ts';
import { join } from 'node:path';
import { fixDocument } from '../author/fix.ts';
import { readDocumentFile } from '../observe/workspace/documents.ts';
import { asBase, localPath } from '../observe/workspace/places.ts';
import type { LintTarget } from '../observe/workspace/target.ts';
import { openDirectory } from '../store/directory/directory.ts';
import { type BaselineOption, wasPublished } from './check/baseline-option.ts';
import type { Context } from './context.ts';
import { manifestAppsIn, metadataUrlOf } from '../core/registry/manifest.ts';

const CHANGED_MEANWHILE = 'another process changed it in the meantime; run appreg lint --fix again';

/**
 * `lint --fix`: fixes the files of a target, and reports on stderr what changed, and which changes affect published
 * versions.
 */
export async function fixFiles(context: Context, target: LintTarget, against: BaselineOption): Promise<void> {
  const { workspace } = target;
  const store = openDirectory(workspace.root);
  const files: { path: string; document: 'manifest' | 'metadata'; app: string | null }[] = [];
  if (target.kind === 'metadata') files.push({ path: target.path, document: 'metadata', app: null });
  else {
    // The manifest first: a fixed URL may lead to a metadata file.
    await fixOne(workspace.manifest, 'manifest', null);
    const content = readDocumentFile(join(workspace.root, workspace.manifest));
    const apps = typeof content === 'string' ? null : manifestAppsIn(content);
    const base = workspace.baseUrl === null ? null : asBase(workspace.baseUrl);
    for (const [key, entry] of Object.entries(apps ?? {})) {
      const path = localPath(metadataUrlOf(entry) ?? '', base);
      if (path !== null) files.push({ path, document: 'metadata', app: key });
    }
  }
  for (const { path, document, app } of files) await fixOne(path, document, app);

  async function fixOne(path: string, document: 'manifest' | 'metadata', app: string | null): Promise<void> {
    const content = readDocumentFile(join(workspace.root, path));
    if (typeof content === 'string' || content.text === null || content.cut) return;
    const { text, fixes } = fixDocument(document, content.text);
    if (fixes.length === 0) return;
    const stored = await store.read(path);
    if (!stored || Buffer.from(stored.bytes).toString('utf8') !== content.text)
      return void context.terminal.log(message`${path}: not fixed, because ${CHANGED_MEANWHILE}`);
    if ((await store.replace(path, Buffer.from(text), stored.token)) === 'changed')
      return void context.terminal.log(message`${path}: not fixed, because ${CHANGED_MEANWHILE}`);
    for (const fix of fixes) {
      const touched = fix.version !== null && wasPublished(against, app, fix.version);
      context.terminal.log(
        message`${path}${fix.pointer === '' ? '' : ` ${fix.pointer}`}: ${fix.what}${touched ? ' — this version is already published' : ''}`,
      );
    }
  }
}

import type { Document } from '../author/document.ts';
import { editAppEntry } from '../author/manifest.ts';
import { AppregError } from '../core/errors/error.ts';
import { appFields } from '../core/registry/manifest.ts';
import type { TextChange } from '../core/release/entry-changes.ts';
import { message } from '../core/text/message.ts';
import { safeExcerpt } from '../core/text/text.ts';
import { requireEntry } from './listed-app.ts';

/**
 * The manifest with the changes; null if it has them all.
 * @throws AppregError `app-changed` (exit 1) if one of these fields has another text since then
 */
export function withFieldChanges(manifest: Document, key: string, changes: readonly TextChange[]): Document | null {
  const fields = appFields(requireEntry(manifest, key));
  for (const { field, before, after } of changes) {
    const now = fields[field];
    if (now === before || now === after) continue;
    throw new AppregError(
      'app-changed',
      message`The ${field} of the app “${key}” was changed by another process at the same time: it is now ${now === null ? 'missing' : `“${safeExcerpt(now)}”`}.`,
      message`Check the entry. If your change is still right, run the same command again.`,
      { effect: 'none', advisesRepeat: true },
    );
  }
  const wanted = Object.fromEntries(changes.map(({ field, after }) => [field, after]));
  return editAppEntry(manifest, key, wanted);
}

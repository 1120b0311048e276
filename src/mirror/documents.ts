import { message } from '../core/text/message.ts';
import { documentContent, type JsonValue, parseDocument } from '../core/json/json.ts';
import { AppregError } from '../core/errors.ts';
import type { Store } from '../store/store.ts';

/** A document of the mirror; undefined if missing. */
export async function localDocument(store: Store, path: string): Promise<JsonValue | undefined> {
  const stored = await store.read(path);
  if (!stored) return undefined;
  const { value } = parseDocument(documentContent(stored.bytes));
  if (value !== undefined) return value;
  throw new AppregError(
    'mirror-damaged',
    message`${path} in the mirror is no longer valid JSON.`,
    message`Restore it, or delete it and run the command again.`,
    { effect: 'none' },
  );
}

/** Writes a document or an icon unless it is unchanged. */
export async function put(store: Store, path: string, content: string | Uint8Array): Promise<void> {
  const bytes = Buffer.from(content);
  for (;;) {
    const stored = await store.read(path);
    if (stored && bytes.equals(stored.bytes)) return;
    if (
      stored
        ? (await store.replace(path, bytes, stored.token)) === 'replaced'
        : (await store.create(path, bytes)) === 'created'
    )
      return;
  }
}

import { usable } from '../author/usable.ts';
import type { DocumentContent, DocumentFacts, Missing } from '../core/facts/facts.ts';
import { documentText, rememberText } from '../core/registry/document-text.ts';
import { documentContent } from '../core/json/json.ts';
import { printable, redact, shorten } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import type { Store, Stored } from '../store/store.ts';

/** The location of a registry's files in the store and on the web. */
export interface RegistryLocation {
  store: Store & { forget?(): void };
  /** Path of the manifest in the store. */
  manifest: string;
  /** The URL of the store's root, normalized, with a trailing slash. */
  base: string;
  /** The path in the store for a URL; null if the URL is outside. */
  pathOf(url: string): string | null;
  /** The checksum with which a version was first published, if recorded; otherwise null. */
  firstSeen?(app: string, version: string): string | null;
}

/** For facts that are not observed while something is added: lint and verify judge them. */
export const NOT_OBSERVED: Missing = { missing: { code: 'additions-only' }, runWide: true, intentional: true };

/** A document of the store as facts; null if missing. Throws AppregError if it must not be edited. */
export async function readDocument(store: Store, path: string): Promise<(DocumentFacts & { text: string }) | null> {
  const stored = await store.read(path);
  return stored && documentIn(stored, path);
}

/** Cached by the bytes that a store returned, so that repeated reads are decoded and parsed once. */
const contents = new WeakMap<Uint8Array, DocumentContent>();

/** The same for a document that was already read. */
export function documentIn(stored: Stored, path: string): DocumentFacts & { text: string } {
  const content = rememberText(contents.get(stored.bytes) ?? documentContent(stored.bytes));
  contents.set(stored.bytes, content);
  return { url: null, file: path, web: NOT_OBSERVED, content, text: usable(content, path).text };
}

/** The manifest, which must exist. */
export async function readManifest({ store, manifest }: RegistryLocation): Promise<DocumentFacts & { text: string }> {
  const found = await readDocument(store, manifest);
  if (found) return found;
  throw new AppregError(
    'manifest-missing',
    `There is no ${printable(manifest)} in ${printable(store.name)}.`,
    'Scaffold the registry first: appreg init',
  );
}

/** The facts of a document with its text replaced. */
export function withText(facts: DocumentFacts, text: string): DocumentFacts {
  return { ...facts, content: documentText(text) };
}

/** A URL or path in an error message. */
export function shown(text: string): string {
  return printable(redact(shorten(text)));
}

/** Caches the last result of an edit, which is called repeatedly with the same text until it is applied. */
export function memoizeLast(edit: (text: string) => string | null): (text: string) => string | null {
  let last: { text: string; edited: string | null } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, edited: edit(text) };
    return last.edited;
  };
}

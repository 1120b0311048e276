import { usable } from '../author/usable.ts';
import type { DocumentContent, DocumentFacts, Missing } from '../core/facts/facts.ts';
import { documentText, rememberText } from '../core/registry/document-text.ts';
import { documentContent } from '../core/json/json.ts';
import { printable, redact, shorten } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import type { Store, Stored } from '../store/store.ts';

/** Where the files of a registry lie, in the store and on the web. */
export interface RegistryLocation {
  store: Store & { forget?(): void };
  /** Path of the manifest in the store. */
  manifest: string;
  /** The address of the store's root, normalised, with its trailing slash. */
  base: string;
  /** The path in the store that a URL means; null when it leads elsewhere. */
  pathOf(url: string): string | null;
  /** The checksum that a version was published with first, where that is remembered; null where it is not. */
  firstSeen?(app: string, version: string): string | null;
}

/** What nobody looks at while something is added: it is judged by lint and verify. */
export const NOT_OBSERVED: Missing = { missing: 'only what is added is looked at', runWide: true, intentional: true };

/** A document of the store as facts; null when it is not there. Throws Trouble when it must not be edited. */
export async function readDocument(store: Store, path: string): Promise<(DocumentFacts & { text: string }) | null> {
  const stored = await store.read(path);
  return stored && documentIn(stored, path);
}

/** Of bytes that a store has read: those that are asked for again are decoded and parsed once. */
const contents = new WeakMap<Uint8Array, DocumentContent>();

/** The same of what was read already. */
export function documentIn(stored: Stored, path: string): DocumentFacts & { text: string } {
  const content = rememberText(contents.get(stored.bytes) ?? documentContent(stored.bytes));
  contents.set(stored.bytes, content);
  return { url: null, file: path, web: NOT_OBSERVED, content, text: usable(content, path).text };
}

/** The manifest, which must be there. */
export async function readManifest({ store, manifest }: RegistryLocation): Promise<DocumentFacts & { text: string }> {
  const found = await readDocument(store, manifest);
  if (found) return found;
  throw new AppregError(
    'manifest-missing',
    `There is no ${printable(manifest)} in ${printable(store.name)}.`,
    'Scaffold the registry first: appreg init',
  );
}

/** A document as facts, with another text. */
export function withText(facts: DocumentFacts, text: string): DocumentFacts {
  return { ...facts, content: documentText(text) };
}

/** A URL or path in an error message. */
export function shown(text: string): string {
  return printable(redact(shorten(text)));
}

/** An edit that is asked again with the same text, as happens until it is carried out, and then need not be made anew. */
export function memoizeLast(edit: (text: string) => string | null): (text: string) => string | null {
  let last: { text: string; edited: string | null } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, edited: edit(text) };
    return last.edited;
  };
}

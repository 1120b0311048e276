import { type Document, openDocument } from '../author/document.ts';
import type { DocumentContent } from '../core/json/content.ts';
import { documentContent, documentText, type JsonValue } from '../core/json/json.ts';
import type { Store, Stored } from '../store/store.ts';
import { decodeDocument } from './decode-document.ts';

/** Parses the content of a file; throws AppregError if it must not be edited. */
type Opener = (content: DocumentContent, path: string) => Document;

/**
 * A document as one read of a store returned it: its text and the token of that read are one value. An edit takes this
 * value (`EditStep.of`), so that the text of one read is never written with the token of another. The result of an edit
 * is a `Document` without a token, which is not stored.
 */
export class StoredDocument implements Document {
  readonly path: string;
  /** The text of the file; of a missing file, the text that it begins with. */
  readonly text: string;
  readonly value: JsonValue;
  readonly content: DocumentContent;
  /** The state of the file (`Stored.token`); null if it does not exist. */
  readonly token: string | null;
  readonly #open: Opener;

  private constructor({ path, text, value, content }: Document, token: string | null, open: Opener) {
    this.path = path;
    this.text = text;
    this.value = value;
    this.content = content;
    this.token = token;
    this.#open = open;
  }

  /** A file that was read. @throws AppregError of `open`, such as `document-invalid` (exit 1) */
  static of({ bytes, token }: Stored, path: string, open: Opener = openDocument): StoredDocument {
    return new StoredDocument(open(documentContent(bytes), path), token, open);
  }

  /** A file that does not exist. @param text the text that it begins with, before it is edited */
  static missing(path: string, text: string, open: Opener = openDocument): StoredDocument {
    return new StoredDocument(open(documentText(text), path), null, open);
  }

  /** Reads a file; null if it does not exist. @throws AppregError as `of` does, and of the store */
  static async read(store: Pick<Store, 'read'>, path: string, open?: Opener): Promise<StoredDocument | null> {
    const stored = await store.read(path);
    return stored && StoredDocument.of(stored, path, open);
  }

  /** The same file in another state. @throws AppregError `not-utf8`, and as `of` does */
  reopened(now: Uint8Array | string): Document {
    const text = typeof now === 'string' ? now : decodeDocument(now, this.path);
    return this.#open(documentText(text), this.path);
  }
}

import type { Document } from '../author/document.ts';
import type { Stored } from '../store/store.ts';
import type { Role } from './role.ts';
import type { StoredDocument } from './stored-document.ts';

/**
 * The edit of a document, without side effects: it is called again for each state that the document is found in.
 * @returns null if the document needs no change
 * @throws AppregError if the document refuses the change
 */
export type Change = (now: Document) => Document | null;

/** Texts that describe a step. */
interface Shown {
  /** Such as `the app clock`. */
  what: string;
  role?: Role;
}

/**
 * A change to a document. It keeps the document as it was read, with its token, and what the change makes of it. There is
 * no other way to make one than `of`, which computes the new text from the text that belongs to the token.
 */
export class EditStep {
  readonly kind = 'edit';
  readonly path: string;
  readonly what: string;
  readonly role?: Role;
  /** The document that was planned on. */
  readonly from: StoredDocument;
  /** The result of the change for `from`. */
  readonly to: Document;
  readonly #change: Change;

  private constructor(from: StoredDocument, to: Document, { what, role }: Shown, change: Change) {
    this.path = from.path;
    this.what = what;
    if (role !== undefined) this.role = role;
    this.from = from;
    this.to = to;
    this.#change = change;
  }

  /** @returns null if the document needs no change @throws AppregError of `change` */
  static of(from: StoredDocument, shown: Shown, change: Change): EditStep | null {
    const to = change(from);
    return to === null || to.text === from.text ? null : new EditStep(from, to, shown, change);
  }

  /** True if the file does not exist yet. */
  get isNew(): boolean {
    return this.from.token === null;
  }

  /**
   * The new text of the stored file: the planned one if it is in the state that was planned on; null if it needs no
   * change.
   * @throws AppregError `not-utf8`, those of reading the document, and of the change
   */
  textFor({ bytes, token }: Stored): string | null {
    return token === this.from.token ? this.to.text : this.#again(bytes);
  }

  /** The same for a text that an earlier step of the plan wrote. */
  textAfter(text: string): string | null {
    return this.#again(text);
  }

  #again(now: Uint8Array | string): string | null {
    const before = this.from.reopened(now);
    const after = this.#change(before);
    return after === null || after.text === before.text ? null : after.text;
  }
}

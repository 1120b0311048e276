import { comparableUrl } from '../../core/url/url.ts';

export interface FetchedIcon {
  /** As a viewer decodes them; null if they are more than `iconBytes`. */
  readonly bytes: Uint8Array | null;
}

/** The icons that were fetched, until an app that uses one is handed over. */
export class FetchedIcons {
  readonly #byUrl = new Map<string, FetchedIcon>();
  readonly #limit: number;

  /** @param limit maximum number of bytes of an icon that are kept */
  constructor(limit: number) {
    this.#limit = limit;
  }

  add(url: string, bytes: Uint8Array): void {
    this.#byUrl.set(comparableUrl(url), { bytes: bytes.length > this.#limit ? null : bytes });
  }

  /** The icon, once: null if it was not fetched, or was taken before. */
  take(url: string | null): FetchedIcon | null {
    if (url === null) return null;
    const address = comparableUrl(url);
    const icon = this.#byUrl.get(address) ?? null;
    this.#byUrl.delete(address);
    return icon;
  }
}

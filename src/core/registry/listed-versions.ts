import { comparableUrl } from '../url/url.ts';
import type { VersionEntry } from './version-entry.ts';

/** A version in the metadata file of an app. */
export interface ListedVersion {
  app: string;
  version: string | null;
  digest: string | null;
}

/** Larger registries are compared up to here: what is kept must not grow with everything that is listed. */
const MOST_VERSIONS = 100_000;

/** The versions that the apps of a run list, by their checksum and by their URL: of several with one URL, the first one. */
export class ListedVersions {
  /** Null for the digest of several apps. */
  readonly #byDigest = new Map<string, ListedVersion | null>();
  readonly #byAddress = new Map<string, ListedVersion>();
  readonly #files = new Set<string>();

  /** True for a metadata file that another app has, too. @param url as it is listed */
  isSharedFile(url: string): boolean {
    const address = comparableUrl(url);
    if (this.#files.has(address)) return true;
    this.#files.add(address);
    return false;
  }

  add(app: string, versions: readonly VersionEntry[]): void {
    for (const { version, digest, address } of versions) {
      if (this.#byDigest.size >= MOST_VERSIONS) return;
      const listed = { app, version, digest };
      if (digest !== null) this.#byDigest.set(digest, this.#isOfOther(digest, app) ? null : listed);
      if (address !== null && !this.#byAddress.has(address)) this.#byAddress.set(address, listed);
    }
  }

  #isOfOther(digest: string, app: string): boolean {
    const known = this.#byDigest.get(digest);
    return known !== undefined && known?.app !== app;
  }

  /** The version of another app with that checksum; null if there is none, or several apps have it. @param digest 64 digits */
  withDigest(digest: string, app: string | null): ListedVersion | null {
    return ofOther(this.#byDigest.get(digest), app);
  }

  /** The version of another app with that URL; null if there is none. */
  withAddress(address: string, app: string | null): ListedVersion | null {
    return ofOther(this.#byAddress.get(address), app);
  }
}

function ofOther(listed: ListedVersion | null | undefined, app: string | null): ListedVersion | null {
  return listed == null || app === null || listed.app === app ? null : listed;
}

import SemVer from 'semver/classes/semver.js';
import { isComparable, isPlainVersion, isSemver, withoutBuild } from './version.ts';

/** A semantic version that was read once: what has it neither checks its form nor parses it again. */
export class SemanticVersion {
  readonly text: string;
  /** True for plain MAJOR.MINOR.PATCH (spec 2.2). */
  readonly isPlain: boolean;
  /** Made for the first comparison; null if the version is not compared. */
  #parsed: SemVer | null | undefined;

  /** @param text a valid version */
  constructor(text: string, isPlain: boolean = isPlainVersion(text)) {
    this.text = text;
    this.isPlain = isPlain;
  }

  /** False for a version that is not compared, since a number is too large, or it is too long (`isComparable`). */
  get isCompared(): boolean {
    return this.#parse() !== null;
  }

  /** True for a version that is compared and has no pre-release identifier. */
  get isRelease(): boolean {
    return this.#parse()?.prerelease.length === 0;
  }

  /**
   * Negative, 0 or positive, by precedence; build metadata is ignored. A version that is not compared is below all that
   * are, so that it is never the latest one.
   */
  compareTo(other: SemanticVersion): number {
    const [own, others] = [this.#parse(), other.#parse()];
    if (own !== null && others !== null) {
      const order = own.compare(others);
      if (order !== 0) return order;
    } else if (own !== others) return own === null ? -1 : 1;
    // The package rounds large numbers of pre-releases: versions are equal only if they are spelled alike.
    const [left, right] = [withoutBuild(this.text), withoutBuild(other.text)];
    if (left === right) return 0;
    return left < right ? -1 : 1;
  }

  #parse(): SemVer | null {
    if (this.#parsed === undefined) this.#parsed = isComparable(this.text) ? new SemVer(this.text) : null;
    return this.#parsed;
  }
}

/** Reads a version; null if it is not a semantic version. */
export function semanticVersion(text: string): SemanticVersion | null {
  const isPlain = isPlainVersion(text);
  return isPlain || isSemver(text) ? new SemanticVersion(text, isPlain) : null;
}

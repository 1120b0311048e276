import type { VersionError } from '../offers/version-offer.ts';
import type { Found } from './superseding.ts';

/** The findings of one run that hide apps, or that block the facts about a resource. */
export class HidingFindings {
  readonly #byApp = new Map<string, Set<string>>();
  readonly #byResource = new WeakMap<Found, Set<string>>();
  #versionErrors = new Map<string, VersionError[]>();

  hide(app: string, rule: string): void {
    const rules = this.#byApp.get(app) ?? new Set();
    this.#byApp.set(app, rules.add(rule));
  }

  /** Records that a finding of a rule blocks the facts about a resource: a malformed URL, an unreachable host. */
  block(found: Found, rule: string): void {
    const rules = this.#byResource.get(found) ?? new Set();
    this.#byResource.set(found, rules.add(rule));
  }

  /** Records an error about a version of the app that is judged. */
  addVersionError(version: string, error: VersionError): void {
    const errors = this.#versionErrors.get(version);
    if (errors) errors.push(error);
    else this.#versionErrors.set(version, [error]);
  }

  /** The errors since the last call, by version: those of one app. */
  takeVersionErrors(): ReadonlyMap<string, readonly VersionError[]> {
    const errors = this.#versionErrors;
    if (errors.size > 0) this.#versionErrors = new Map();
    return errors;
  }

  isHidden(app: string): boolean {
    return this.#byApp.has(app);
  }

  rulesHiding(app: string): Set<string> {
    return new Set(this.#byApp.get(app));
  }

  /** Ids of the rules that block the facts about a resource, except that rule. */
  rulesBlocking(found: Found, except = ''): string[] {
    return [...(this.#byResource.get(found) ?? [])].filter((id) => id !== except).sort();
  }
}

import { artifactSecret } from '../core/rules/artifacts/artifact-secret.ts';
import { isOver } from '../core/findings/exception-end.ts';
import { versionRange } from '../core/registry/version-range.ts';
import { matchesGlob } from '../core/text/glob.ts';

/** The secrets that exceptions of the configuration allow one by one: publishing agrees with lint about them. */

/** An exception as configured. */
export interface SecretException {
  rule: string;
  app?: string;
  version?: string;
  url?: string;
  /** A fingerprint. */
  secret?: string;
  until?: string;
}

/** An artifact that is about to be packed or published. */
export interface AboutToPublish {
  /** Null while it is unknown: exceptions for one app or version then do not apply. */
  app: string | null;
  version: string | null;
  /** ISO 8601. */
  now: string;
}

/** The fingerprints of the secrets that an artifact may contain. Exceptions for a URL do not apply before it has one. */
export function exceptedSecrets(
  exceptions: readonly SecretException[] = [],
  { app, version, now }: AboutToPublish,
): string[] {
  return exceptions.flatMap((exception) => {
    const { rule, secret, url, until = null } = exception;
    if (rule !== artifactSecret.id || secret === undefined || url !== undefined || isOver({ until }, now)) return [];
    const isOfApp = exception.app === undefined || (app !== null && matchesGlob(exception.app, app));
    const isOfVersion =
      exception.version === undefined ||
      (version !== null && versionRange(exception.version)?.includes(version) === true);
    return isOfApp && isOfVersion ? [secret] : [];
  });
}

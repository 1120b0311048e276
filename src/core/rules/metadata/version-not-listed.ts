import { message } from '../../text/message.ts';
import { authorOrCopy } from '../owners.ts';
import { sinceCopy } from '../../text/format-duration.ts';
import { printable, printableExcerpt, safeExcerpt } from '../../text/text.ts';
import { latestVersion } from '../../registry/precedence.ts';
import { isSemver, likelyVersion, withoutBuild } from '../../registry/version.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, type Problem } from '../rule.ts';
import type { VersionEntry } from '../../registry/version-entry.ts';

const CAUSES = {
  absent: { title: 'The version is not listed', owner: authorOrCopy },
  'no-versions': { title: 'No version is listed', owner: authorOrCopy },
  'other-form': { title: 'The version is listed in a different form' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const versionNotListed = defineRule({
  id: 'version-not-listed',
  title: 'Requested version that is not listed',
  on: 'metadata',
  needs: ['versions', 'requestedVersion', 'copyAge'],
  severity: 'error',
  spec: '4.4',
  symptom: 'app-does-not-appear',
  owner: 'author',
  confirms: true,
  causes: CAUSES,
  failsWhen:
    '(diagnose) the version given with `--version` is not in the metadata file; the highest listed version, or the same one in another form, is suggested',
  why: 'The service finds new versions only in the metadata file; an artifact that is uploaded, but not listed, is not offered.',
  examples: {
    bad: `// requested: 1.1.0
{ "versions": [
  { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
] }`,
    good: `// requested: 1.0.0
{ "versions": [
  { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
] }`,
  },
  check({ versions, requestedVersion, copyAge }): Problem<Cause> | null {
    if (requestedVersion === null || versions.some((entry) => entry.version === requestedVersion)) return null;
    const name = printableExcerpt(requestedVersion, 60);
    const latest = latestVersion(versions.flatMap(({ semver }) => semver ?? []))?.text ?? null;
    const meant = versions.find((entry) => sameRelease(entry, requestedVersion))?.version ?? null;
    const base = {
      at: '/versions',
      version: requestedVersion,
      evidence: {
        wanted: printable(requestedVersion),
        latest,
        listed: versions.length,
        near: meant && printable(meant),
      },
    };
    if (meant !== null)
      return {
        ...base,
        cause: 'other-form',
        message: message`Version ${name} is not listed; “${safeExcerpt(meant, 60)}” is${isSemver(meant) ? '' : ', which is not a semantic version'}.`,
        advice: isSemver(meant)
          ? message`Versions are compared as text: use "${safeExcerpt(meant, 60)}".`
          : message`Write it as "${likelyVersion(meant) ?? requestedVersion}" in the metadata file.`,
      };
    return {
      ...base,
      cause: versions.length === 0 ? 'no-versions' : 'absent',
      message:
        latest === null
          ? message`Version ${name} is not listed, and no other version is valid.${sinceCopy(copyAge)}`
          : message`Version ${name} is not listed; the ${versions.length === 1 ? 'only listed version' : `highest of ${versions.length} listed versions`} is ${latest}.${sinceCopy(copyAge)}`,
      advice: message`Publish it (appreg publish-version <app> ${isSemver(requestedVersion) ? requestedVersion : '<version>'}), and check that the metadata file that was changed is the one at this URL.`,
    };
  },
});

/** The same release in another form: `v1.2.0`, `1.2`, other build metadata. */
function sameRelease({ version }: VersionEntry, requested: string): boolean {
  if (version === null) return false;
  return releaseOf(version) === releaseOf(requested);
}

function releaseOf(text: string): string {
  return withoutBuild(isSemver(text) ? text : (likelyVersion(text) ?? text));
}

import { message, type SafeText } from '../../text/message.ts';
import type { KnownAdvisory, VulnerablePackage } from '../../facts/facts.ts';
import { comparePrecedence } from '../../registry/version.ts';
import { counted, shorten } from '../../text/text.ts';
import { defineRule } from '../rule.ts';

/** The number of advisories that a message names. */
const SHOWN = 5;

export const packageVulnerable = defineRule({
  id: 'package-vulnerable',
  title: 'Bundled packages with known vulnerabilities',
  on: 'materials',
  needs: ['materials'],
  severity: 'warning',
  spec: null,
  symptom: null,
  owner: 'author',
  failsWhen:
    'the bill of materials beside the artifact lists a version of a package that an advisory in the folder of `--advisories` affects. The advisories are files in the format of OSV; withdrawn ones do not count. Judged only with `--advisories`',
  why: 'The code of the package is in the artifact: an update of the package reaches subscribers only with a new version of the app.',
  examples: {
    bad: 'component: pkg:npm/lodash@4.17.20\nadvisory: GHSA-35jh-r3h4-6jhm lodash <4.17.21',
    good: 'component: pkg:npm/lodash@4.17.21\nadvisory: GHSA-35jh-r3h4-6jhm lodash <4.17.21',
  },
  check({ materials }) {
    return materials.vulnerable.map((found) => ({
      ...describeVulnerable(found),
      evidence: {
        package: found.name,
        packageVersion: found.version,
        advisories: found.advisories.map(({ id }) => id),
        fixed: fixedVersion(found.advisories),
      },
    }));
  },
});

/** A vulnerable package in words. */
export function describeVulnerable(found: VulnerablePackage): { message: SafeText; advice: SafeText } {
  return { message: messageAbout(found), advice: adviceAbout(found) };
}

function messageAbout({ name, version, advisories }: VulnerablePackage): SafeText {
  const shown = advisories.slice(0, SHOWN).map(described).join('; ');
  const left = advisories.length > SHOWN ? `; and ${advisories.length - SHOWN} more` : '';
  const what =
    advisories.length === 1
      ? 'a known vulnerability'
      : counted(advisories.length, 'known vulnerability', 'known vulnerabilities');
  return message`The artifact contains ${name} ${version}, which has ${what}: ${shown}${left}.`;
}

function described({ id, aliases, severity, summary }: KnownAdvisory): string {
  const cve = aliases.find((alias) => alias.startsWith('CVE-'));
  const details = [cve, severity].filter((one) => one !== undefined && one !== null);
  const about = summary === '' ? '' : `, ${shorten(summary, 120)}`;
  return `${id}${details.length === 0 ? '' : ` (${details.join(', ')})`}${about}`;
}

function adviceAbout({ name, version, advisories }: VulnerablePackage): SafeText {
  const fixed = fixedVersion(advisories);
  if (fixed !== null)
    return message`Update ${name} to ${fixed} or later, build the app again, and publish a new version.`;
  const open = advisories.find((one) => one.fixed.length === 0);
  return message`No version of ${name} above ${version} is known to be fixed: read https://osv.dev/vulnerability/${open?.id ?? ''}, replace the package, or except the finding with the reason why the app is not affected.`;
}

/** The lowest version in which all of them are fixed; null if one is not. */
function fixedVersion(advisories: readonly KnownAdvisory[]): string | null {
  let highest: string | null = null;
  for (const { fixed } of advisories) {
    const [lowest] = fixed;
    if (lowest === undefined) return null;
    if (highest === null || comparePrecedence(lowest, highest) > 0) highest = lowest;
  }
  return highest;
}

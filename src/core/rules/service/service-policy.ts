import type { ServedApp, SubscribedApp, SubscribedVersion } from '../../facts/facts.ts';
import { message } from '../../text/message.ts';
import { formatTime } from '../../text/format-time.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, type Problem } from '../rule.ts';
import { policyBehind } from '../service-findings.ts';

const CAUSES = {
  suspended: { title: 'The organization is suspended at the service' },
  port: { title: 'The service does not send requests to this port' },
  insecure: { title: 'The service does not send requests over plain http' },
  limit: { title: 'The last check of the service ended at one of its limits' },
  attestation: {
    title: 'The organization requires attestations, and the service holds a version back',
    owner: 'author',
  },
  policy: { title: 'The policy of the organization holds a version back', owner: 'user' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const servicePolicy = defineRule({
  id: 'service-policy',
  title: 'Registry that a policy of the service blocks',
  on: 'subscription',
  needs: ['service', 'isManifestUsable', 'served', 'known'],
  severity: 'error',
  spec: '7',
  symptom: 'registry-does-not-refresh',
  owner: 'service',
  causes: CAUSES,
  failsWhen:
    'a policy of the service blocks the registry: the organization is suspended, or the service does not request such a URL (a port, plain http). A version that is held back by the policy of the organization, or because it requires attestations, is a warning; a version that the policy was not applied to yet, and a check that ended at a limit, are notes',
  why: 'The author of the registry cannot fix this: the operator of the service has to change the policy, or the URL has to change.',
  examples: {
    bad: 'service: suspended: The organization is suspended.',
    good: 'service: checked 2026-11-14T11:00:00Z, checks again 2026-11-14T12:00:00Z',
  },
  check({ service, served, known, isManifestUsable }): Problem<Cause>[] {
    if (served !== null) {
      const held = heldVersions(served, known);
      return [
        ...limitsOf(service.overLimit, served.key),
        ...unattested(served.key, held),
        ...heldByPolicy(served.key, held),
      ];
    }
    if (service.suspended !== null)
      return [
        {
          cause: 'suspended',
          message: message`The service refuses all requests of the organization: ${service.suspended}`,
          advice: message`Ask the operator of the service for the reason. The apps are refreshed again once the organization is no longer suspended.`,
          evidence: { service: service.service },
        },
      ];
    // If it cannot be used here either, the other rules say why.
    if (!isManifestUsable || (service.registry?.failingSince ?? null) === null) return [];
    for (const found of service.findings) {
      const cause = policyBehind(found);
      if (cause === null || found.app !== null) continue;
      return [
        {
          cause,
          message: message`The service does not request the manifest: ${found.message}`,
          advice: message`${CHANGES[cause]}, or ask its operator to allow the host (--allow-host).`,
          evidence: { rule: found.rule, failingSince: formatTime(service.registry?.failingSince ?? null) },
        },
      ];
    }
    return [];
  },
});

const CHANGES = {
  port: 'Serve the registry at port 443, and subscribe to that URL',
  insecure: 'Subscribe to its https URL',
} as const;

function limitsOf(
  overLimit: readonly { app: string | null; version: string | null; reason: string }[],
  key: string,
): Problem<Cause>[] {
  const left = overLimit.filter(({ app }) => app === key);
  const [first] = left;
  if (first === undefined) return [];
  return [
    {
      cause: 'limit',
      severity: 'note',
      symptom: 'app-does-not-appear',
      message: message`The last check of the service left ${left.length === 1 ? 'a part' : `${left.length} parts`} of ${key} for the next one: ${first.reason}`,
      advice: message`Wait for the next checks, which follow soon. If that does not help, ask the operator of the service about the limits.`,
      evidence: { versions: left.flatMap(({ version }) => version ?? []).slice(0, 5) },
    },
  ];
}

/** Versions that a message names. */
const NAMED = 5;

/** The versions that are served now, and that the service holds back. */
function heldVersions({ versions }: ServedApp, known: SubscribedApp | null): SubscribedVersion[] {
  const served = new Map(versions.map(({ version, checksum }) => [version, checksum]));
  return (known?.versions ?? []).filter((one) => isHeldBack(one) && served.get(one.version) === one.artifactChecksum);
}

/** Versions in a message: the only one, or their number with the first ones. */
function named(key: string, held: readonly SubscribedVersion[]): { versions: string[]; what: string } {
  const versions = held.slice(0, NAMED).map(({ version }) => version);
  const more = held.length > NAMED ? ` and ${held.length - NAMED} more` : '';
  const what =
    held.length === 1
      ? `version ${versions.join()} of ${key}`
      : `${held.length} versions of ${key} (${versions.join(', ')}${more})`;
  return { versions, what };
}

/** A problem for each line of the policy. */
function heldByPolicy(key: string, all: readonly SubscribedVersion[]): Problem<Cause>[] {
  const held = all.filter(isHeldByPolicy);
  const lines = [...new Set(held.map(({ policyHold }) => policyHold?.line ?? null))];
  return lines.map((line) => {
    const same = held.filter(({ policyHold }) => (policyHold?.line ?? null) === line);
    const { versions, what } = named(key, same);
    const [first] = same;
    const version = same.length === 1 && first !== undefined ? { version: first.version } : {};
    if (line === null)
      return {
        cause: 'policy',
        severity: 'note',
        symptom: 'app-does-not-appear',
        ...version,
        message: message`The service holds back ${what}, until it has applied the organization’s policy.`,
        advice: message`Wait for the end of the next check of the service.`,
        evidence: { line, offeredAt: null, versions },
      };
    const times = same.flatMap(({ policyHold }) => policyHold?.offeredAt ?? []).sort();
    const [offeredAt = null] = times;
    const until =
      offeredAt === null
        ? ''
        : ` ${same.length === 1 ? 'It' : 'The first of them'} will be offered at ${formatTime(offeredAt)}.`;
    return {
      cause: 'policy',
      severity: 'warning',
      symptom: 'app-does-not-appear',
      ...version,
      message: message`The service holds back ${what}, by this line of the organization’s policy: ${line}.${until}`,
      advice: message`${offeredAt === null ? 'If it should be offered' : 'If it should be offered earlier'}, change that line: the settings of the registry on its page at the service. appreg policy test shows the effect of a change.`,
      evidence: { line, offeredAt, versions },
    };
  });
}

/** A problem for each reason for which a required attestation is missing. */
function unattested(key: string, all: readonly SubscribedVersion[]): Problem<Cause>[] {
  const held = all.filter(isUnattested);
  const reasons = [...new Set(held.map(({ attestation }) => reasonText(attestation)))];
  return reasons.map((reason) => {
    const same = held.filter(({ attestation }) => reasonText(attestation) === reason);
    const [first] = same;
    const { versions, what } = named(key, same);
    const attestation = first?.attestation ?? null;
    return {
      cause: 'attestation',
      severity: 'warning',
      symptom: 'app-does-not-appear',
      ...(same.length === 1 && first !== undefined && { version: first.version }),
      message: message`The service holds back ${what}, since the organization requires attestations of this registry. ${reason}`,
      advice: message`Add the attestation beside the artifact (docs: “Attestations”); it may be added later. If another signer is right, change what the organization requires: the settings of the registry on its page. appreg verify --attestations require gives the same verdict.`,
      evidence: {
        rule: attestation?.reason?.rule ?? null,
        cause: attestation?.reason?.cause ?? null,
        heldSince: attestation?.held?.since ?? null,
        versions,
      },
    };
  });
}

/** True for a version that the service does not offer because of its attestation, or of a policy. */
export function isHeldBack(version: SubscribedVersion): boolean {
  return isUnattested(version) || isHeldByPolicy(version);
}

function isHeldByPolicy({ policyHold }: SubscribedVersion): boolean {
  return (policyHold ?? null) !== null;
}

function isUnattested({ attestation }: SubscribedVersion): boolean {
  return (attestation?.held ?? null) !== null;
}

const STATES: Readonly<Record<string, string>> = {
  missing: 'Its host has no attestation of it.',
  pending: 'Its attestation is not known yet.',
};

function reasonText(attestation: SubscribedVersion['attestation']): string {
  return attestation?.reason?.message ?? STATES[attestation?.state ?? ''] ?? 'The service gives no reason.';
}

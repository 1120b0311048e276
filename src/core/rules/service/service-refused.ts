import { message, type SafeText } from '../../text/message.ts';
import type { ServedVersion, ServiceFacts, SubscribedRegistry, SubscribedVersion } from '../../facts/facts.ts';
import { formatTime } from '../../text/format-time.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, type Problem } from '../rule.ts';
import { policyBehind } from '../service-findings.ts';

const CAUSES = {
  repeatedly: { title: 'The service could not read it in several checks' },
  once: { title: 'The service could not read it in its last check' },
  credentials: { title: 'The host does not accept the credentials that the service has', owner: 'user' },
  artifact: { title: 'The service could not verify an artifact that can be verified here' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const serviceRefused = defineRule({
  id: 'service-refused',
  title: 'File that the service could not read',
  on: 'subscription',
  needs: ['service', 'registry', 'isManifestUsable', 'served', 'known'],
  severity: 'error',
  spec: '7',
  symptom: 'registry-does-not-refresh',
  owner: 'host',
  causes: CAUSES,
  failsWhen:
    'a file can be used here, but could not be used by the service in its last check: the host responds differently to the service, or the file was corrected since. After one failed check, this is a warning',
  why: 'Firewalls, allow lists and rate limits may treat a server in a data center differently from a computer in an office.',
  examples: {
    bad: `service: checked 2026-11-14T11:00:00Z, checks again 2026-11-14T12:00:00Z, failing since 2026-11-13T20:00:00Z
found unreachable: registry.example.com responds with status 403.`,
    good: `service: checked 2026-11-14T11:00:00Z, checks again 2026-11-14T12:00:00Z`,
  },
  check({ service, registry, isManifestUsable, served, known }): Problem<Cause>[] {
    if (served === null) {
      if (registry.failingSince === null && registry.state !== 'unauthorized') return [];
      // If it cannot be used here either, the other rules say why.
      return isManifestUsable
        ? refusalOf(registry, registry.failingSince, reasonIn(service, null), 'the manifest')
        : [];
    }
    if (known !== null && known.failingSince !== null && served.isUsable)
      return refusalOf(
        registry,
        known.failingSince,
        reasonIn(service, served.key),
        `the metadata file of ${served.key}`,
      );
    const now = new Map(served.versions.map((version) => [version.version, version]));
    return (known?.versions ?? [])
      .filter((before) => isRefusedByService(before, now.get(before.version)))
      .map(({ version, reason }) => ({
        cause: 'artifact',
        version,
        symptom: 'checksum-mismatch',
        message: message`The service could not verify version ${version} in its check at ${formatTime(registry.checkedAt)}, although it is verified here: ${reason?.message ?? 'it gives no reason'}`,
        advice: adviceOf(registry),
        evidence: { checkedAt: registry.checkedAt, nextCheckAt: registry.nextCheckAt, rule: reason?.rule ?? null },
      }));
  },
});

/** True for a version that the service could not verify, and that is verified here. */
export function isRefusedByService(
  { artifactChecksum, state, reason }: SubscribedVersion,
  now: ServedVersion | undefined,
): boolean {
  if (now?.checksum !== artifactChecksum || !now.isVerified) return false;
  return state === 'refused' || (state === 'pending' && reason !== null);
}

function refusalOf(
  registry: SubscribedRegistry,
  failingSince: string | null,
  found: ServiceFacts['findings'][number] | null,
  what: string,
): Problem<Cause>[] {
  // Reported by service-policy.
  if (found !== null && policyBehind(found) !== null) return [];
  const { checkedAt, nextCheckAt } = registry;
  const evidence = { checkedAt, nextCheckAt, failingSince, rule: found?.rule ?? null, cause: found?.cause ?? null };
  if (registry.state === 'unauthorized')
    return [
      {
        cause: 'credentials',
        message: message`The host does not accept the credentials that the service has for the registry, since ${formatTime(failingSince)}.`,
        advice: message`Give the service new credentials: PUT /api/registries/${registry.id}/auth, or the settings of the registry on its page.`,
        evidence,
      },
    ];
  const isRepeated = failingSince !== null && checkedAt !== null && failingSince < checkedAt;
  return [
    {
      cause: isRepeated ? 'repeatedly' : 'once',
      ...(isRepeated ? {} : { severity: 'warning' }),
      message: message`The service has not been able to use ${what} since ${formatTime(failingSince)}, although it can be used from here: ${found?.message ?? 'the service gives no reason.'}`,
      advice: adviceOf(registry),
      evidence,
    },
  ];
}

function adviceOf({ id, nextCheckAt }: SubscribedRegistry): SafeText {
  return message`If it was corrected since, request a check (POST /api/registries/${id}/refresh), or wait for the next one at ${formatTime(nextCheckAt)}. If that fails as well, allow the service at the host: firewall, allow list, rate limit, bot protection.`;
}

/** The error of the service's last check that explains it: about the manifest, or about the app's metadata file. */
function reasonIn({ findings }: ServiceFacts, app: string | null): ServiceFacts['findings'][number] | null {
  const resource = app === null ? 'manifest' : 'metadata';
  return findings.find((finding) => finding.app === app && finding.resource === resource) ?? null;
}

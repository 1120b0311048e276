import { message } from '../../text/message.ts';
import { formatTime } from '../../text/format-time.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, type Problem } from '../rule.ts';
import { policyBehind } from '../service-policy-finding.ts';

const CAUSES = {
  suspended: { title: 'The organization is suspended at the service' },
  port: { title: 'The service does not send requests to this port' },
  insecure: { title: 'The service does not send requests over plain http' },
  limit: { title: 'The last check of the service ended at one of its limits' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const servicePolicy = defineRule({
  id: 'service-policy',
  title: 'Registry that a policy of the service blocks',
  on: 'subscription',
  needs: ['service', 'isManifestUsable', 'served'],
  severity: 'error',
  spec: '7',
  symptom: 'registry-does-not-refresh',
  owner: 'service',
  causes: CAUSES,
  failsWhen:
    'a policy of the service blocks the registry: the organization is suspended, or the service does not request such a URL (a port, plain http). A check that ended at a limit is a note',
  why: 'The author of the registry cannot fix this: the operator of the service has to change the policy, or the URL has to change.',
  examples: {
    bad: 'service: suspended: The organization is suspended.',
    good: 'service: checked 2026-11-14T11:00:00Z, checks again 2026-11-14T12:00:00Z',
  },
  check({ service, served, isManifestUsable }): Problem<Cause>[] {
    if (served !== null) return limitsOf(service.overLimit, served.key);
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

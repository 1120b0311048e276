import { message, type SafeText } from '../../text/message.ts';
import type {
  ServedApp,
  ServedVersion,
  SubscribedApp,
  SubscribedRegistry,
  SubscribedVersion,
} from '../../facts/facts.ts';
import { formatTime } from '../../text/format-time.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, type Problem } from '../rule.ts';
import { isHeldBack } from './service-policy.ts';
import { isRefusedByService } from './service-refused.ts';

const CAUSES = {
  'version-offered': { title: 'The service offers a version that fails now', owner: 'author' },
  'version-not-offered': { title: 'The service does not offer a version that has no error now' },
  'app-shown': { title: 'The service shows an app that has an error now', owner: 'author' },
  'app-hidden': { title: 'The service hides an app that has no error now' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const serviceDisagrees = defineRule({
  id: 'service-disagrees',
  title: 'App or version that the service offers or hides, contrary to what is served now',
  on: 'subscription',
  needs: ['registry', 'served', 'known'],
  severity: 'note',
  spec: '8',
  symptom: 'app-does-not-appear',
  owner: 'service',
  causes: CAUSES,
  failsWhen:
    'the service offers a version, or shows an app, that has an error now; or it does not, although there is no error now. Its next check corrects it. It keeps what it has read while a metadata file cannot be used, and offers its copy of an artifact that the host lost: neither is a finding',
  why: 'Subscribers see what the last check of the service found, until the next one.',
  examples: {
    bad: `service: checked 2026-11-14T11:00:00Z, checks again 2026-11-14T12:00:00Z
knows clock 1.0.0 sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
serves clock 1.0.0 sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa artifact-checksum-mismatch`,
    good: `service: checked 2026-11-14T11:00:00Z, checks again 2026-11-14T12:00:00Z
knows clock 1.0.0 sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
serves clock 1.0.0 sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa`,
  },
  check({ registry, served, known }): Problem<Cause>[] {
    // An app that the service does not know, or cannot read, is reported by the other rules about the service.
    if (served === null || known === null || known.failingSince !== null) return [];
    if (served.hiddenBy.length > 0) return known.visible ? [shownApp(served.hiddenBy, registry)] : [];
    const now = new Map(served.versions.map((version) => [version.version, version]));
    const versions = (known.versions ?? []).flatMap((before) =>
      versionProblem(before, now.get(before.version), registry),
    );
    return versions.length > 0 || isExplained(served, known) ? versions : [hiddenApp(known, registry)];
  },
});

/** True if the service does not hide an app that is visible here, or if another rule about the service says why. */
function isExplained(served: ServedApp, known: SubscribedApp): boolean {
  if (served.visible !== true || known.visible !== false) return true;
  const versions = new Map(known.versions?.map((version) => [version.version, version]));
  return (
    known.versions !== null &&
    served.versions.some((now) => {
      const before = versions.get(now.version);
      return (
        before === undefined ||
        before.artifactChecksum !== now.checksum ||
        isHeldBack(before) ||
        isRefusedByService(before, now)
      );
    })
  );
}

function versionProblem(
  before: SubscribedVersion,
  now: ServedVersion | undefined,
  registry: SubscribedRegistry,
): Problem<Cause>[] {
  const { version, artifactChecksum, offered, state, lostAt = null } = before;
  // Another checksum is reported by service-first-seen-differs.
  if (now === undefined || now.checksum !== artifactChecksum || isRefusedByService(before, now)) return [];
  // It goes on offering its own copy.
  if (offered && lostAt !== null && now.isGone) return [];
  if (offered && now.refusedBy !== null)
    return [
      {
        cause: 'version-offered',
        version,
        symptom: 'checksum-mismatch',
        message: message`The service offers version ${version}, which fails verification now: ${now.refusedBy}. ${looksAgain(registry)}`,
        advice: message`Correct the artifact before that: its error says how.`,
        evidence: evidenceOf(registry, now.refusedBy),
      },
    ];
  // Reported by service-policy.
  if (offered || isHeldBack(before) || now.isVerified !== true) return [];
  return [
    {
      cause: 'version-not-offered',
      version,
      message: message`The service does not offer version ${version} (${state}), although all is well now. ${looksAgain(registry)}`,
      advice: adviceOf(registry),
      evidence: evidenceOf(registry, state),
    },
  ];
}

function shownApp(rules: readonly string[], registry: SubscribedRegistry): Problem<Cause> {
  const named = rules.join(', ');
  return {
    cause: 'app-shown',
    message: message`The service shows the app, which is hidden now: ${named}. ${looksAgain(registry)}`,
    advice: message`Correct it before that: its error says how.`,
    evidence: evidenceOf(registry, named),
  };
}

function hiddenApp({ reasons }: SubscribedApp, registry: SubscribedRegistry): Problem<Cause> {
  const named = reasons.map(({ code }) => code).join(', ');
  return {
    cause: 'app-hidden',
    message: message`The service hides the app${named === '' ? '' : ` (${named})`}, although all is well now. ${looksAgain(registry)}`,
    advice: adviceOf(registry),
    evidence: evidenceOf(registry, named),
  };
}

function looksAgain({ checkedAt, nextCheckAt }: SubscribedRegistry): string {
  return `It last checked at ${formatTime(checkedAt)}, and checks again at ${formatTime(nextCheckAt)}.`;
}

function adviceOf({ id }: SubscribedRegistry): SafeText {
  return message`Wait for the next check, or request one: “Refresh now” on the page of the registry, or POST /api/registries/${id}/refresh.`;
}

function evidenceOf({ checkedAt, nextCheckAt }: SubscribedRegistry, reason: string) {
  return { checkedAt, nextCheckAt, reason };
}

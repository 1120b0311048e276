import { message } from '../../text/message.ts';
import { formatTime } from '../../text/format-time.ts';
import { safeExcerpt } from '../../text/text.ts';
import type { SubscribedApp, SubscribedVersion } from '../../facts/facts.ts';
import { isReplaceable } from '../service-findings.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, type Problem } from '../rule.ts';

const CAUSES = {
  version: { title: 'The registry dropped a version that the service verified' },
  unverified: { title: 'The registry dropped a version that the service never verified' },
  app: { title: 'The registry dropped an app' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const serviceVersionWithdrawn = defineRule({
  id: 'service-version-withdrawn',
  title: 'App or version that the service knows and the registry no longer lists',
  on: 'subscription',
  needs: ['registry', 'isManifestUsable', 'served', 'known', 'dropped', 'explained'],
  severity: 'error',
  spec: '2.4',
  symptom: null,
  owner: 'author',
  immutability: true,
  refusesVersion: false,
  causes: CAUSES,
  failsWhen:
    'the service knows a version that the registry no longer lists. A dropped app is a warning, as in app-withdrawn, and a version that the service never verified is a note. Those that are missing from the baseline (--against, the lock file) are reported by version-withdrawn and app-withdrawn',
  why: 'Old versions stay listed (section 9): users of this version can neither reinstall nor verify it.',
  examples: {
    bad: `service: checked 2026-11-14T11:00:00Z, checks again 2026-11-14T12:00:00Z
knows clock 1.0.0
knows clock 1.1.0
serves clock 1.0.0`,
    good: `service: checked 2026-11-14T11:00:00Z, checks again 2026-11-14T12:00:00Z
knows clock 1.0.0
serves clock 1.0.0`,
  },
  check({ isManifestUsable, served, known, dropped, explained }): Problem<Cause>[] {
    if (!isManifestUsable) return [];
    if (served === null || known === null) return dropped.map(droppedApp);
    if (!served.isUsable) return [];
    const listed = new Set(served.versions.map(({ version }) => version));
    const gone = (known.versions ?? []).filter(({ version }) => !listed.has(version) && !explained.has(version));
    return gone.map(droppedVersion);
  },
});

function droppedVersion(before: SubscribedVersion): Problem<Cause> {
  const { version, artifactChecksum, firstSeenAt } = before;
  const isVerified = !isReplaceable(before);
  const never = isVerified ? '' : ' The service never verified it, and did not offer it.';
  return {
    cause: isVerified ? 'version' : 'unverified',
    ...(!isVerified && { severity: 'note' as const }),
    version,
    message: message`The service has known version ${safeExcerpt(version, 60)} since ${formatTime(firstSeenAt)}, and the registry no longer lists it.${never}`,
    advice: message`List it again, with the checksum ${artifactChecksum} and its artifact.`,
    evidence: { firstSeenAt, inForce: artifactChecksum, state: message`${before.state}` },
  };
}

function droppedApp({ key, latest, versions }: SubscribedApp): Problem<Cause> {
  const named = latest === null ? '' : `, with ${safeExcerpt(latest, 60)} as the latest version`;
  return {
    cause: 'app',
    severity: 'warning',
    symptom: 'app-does-not-appear',
    app: key,
    message: message`The service knows the app “${safeExcerpt(key, 80)}”${named}, and the registry no longer lists it.`,
    advice: message`List it again, unless it was withdrawn intentionally: its versions disappear with it.`,
    evidence: { app: key, latest, versions: versions?.length ?? null },
  };
}

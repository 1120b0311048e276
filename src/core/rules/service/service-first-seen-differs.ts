import { message } from '../../text/message.ts';
import { formatTime } from '../../text/format-time.ts';
import { isReplaceable } from '../service-findings.ts';
import { defineRule } from '../rule.ts';

export const serviceFirstSeenDiffers = defineRule({
  id: 'service-first-seen-differs',
  title: 'Version whose digest differs from the one that the service verified',
  on: 'subscription',
  needs: ['service', 'served', 'known'],
  severity: 'error',
  spec: '2.4',
  symptom: 'checksum-mismatch',
  owner: 'author',
  immutability: true,
  failsWhen:
    'the service verified a version with a digest that differs from the one listed now: the verified digest is pinned, and the version is refused',
  why: 'A published version never changes: its subscribers have the first artifact, and the service does not offer another one under the same number.',
  examples: {
    bad: `service: checked 2026-11-14T11:00:00Z, checks again 2026-11-14T12:00:00Z
knows clock 1.0.0 sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
serves clock 1.0.0 sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb`,
    good: `service: checked 2026-11-14T11:00:00Z, checks again 2026-11-14T12:00:00Z
knows clock 1.0.0 sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
serves clock 1.0.0 sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa`,
  },
  check({ served, known }) {
    const listed = new Map(served?.versions.map(({ version, checksum }) => [version, checksum]));
    return (known?.versions ?? []).flatMap((before) => {
      const { version, artifactChecksum, firstSeenAt } = before;
      const now = listed.get(version);
      // Until a version is verified, the service accepts a corrected checksum.
      if (typeof now !== 'string' || now === artifactChecksum || isReplaceable(before)) return [];
      return [
        {
          version,
          message: message`The service has known version ${version} since ${formatTime(firstSeenAt)} with ${artifactChecksum}, but the registry now lists ${now}.`,
          advice: message`Publish the new artifact as a new version, and restore the first digest of this version, with its artifact.`,
          evidence: { inForce: artifactChecksum, listed: now, firstSeenAt, state: message`${before.state}` },
        },
      ];
    });
  },
});

import { message } from '../../text/message.ts';
import { counted } from '../../text/text.ts';
import { formatTime } from '../../text/format-time.ts';
import type { ServedApp, SubscribedVersion } from '../../facts/facts.ts';
import { isReplaceable } from '../service-findings.ts';
import { defineRule } from '../rule.ts';

/** Versions that a message names. */
const NAMED = 5;

export const serviceNotLookedYet = defineRule({
  id: 'service-not-looked-yet',
  title: 'App or version that the service has not seen yet',
  on: 'subscription',
  needs: ['registry', 'served', 'known', 'isManifestUsable'],
  severity: 'note',
  spec: '8',
  symptom: 'app-does-not-appear',
  owner: 'service',
  causes: {
    before: { title: 'The service last checked before this was served' },
    'older-copy': { title: 'The service checked after the file changed, but got an older copy', owner: 'cache' },
  },
  failsWhen:
    'an app, a version or a corrected checksum is served now that the service does not know, since its last check was earlier. If the file is older than that check (`Last-Modified`), the service may have got an older copy, or reached a different server',
  why: 'Subscribers see a new version only after the next check, within an hour.',
  examples: {
    bad: `service: checked 2026-11-14T11:00:00Z, checks again 2026-11-14T12:00:00Z
knows clock 1.0.0
serves clock 1.0.0
serves clock 1.1.0`,
    good: `service: checked 2026-11-14T11:00:00Z, checks again 2026-11-14T12:00:00Z
knows clock 1.0.0
knows clock 1.1.0
serves clock 1.0.0
serves clock 1.1.0`,
  },
  check({ registry, served, known, isManifestUsable }) {
    // A registry or an app that the service cannot read is reported by service-refused.
    if (
      served === null ||
      !isManifestUsable ||
      registry.failingSince !== null ||
      (known?.failingSince ?? null) !== null
    )
      return null;
    if (known !== null && known.versions === null) return null;
    const versions = new Map(known?.versions?.map((version) => [version.version, version]));
    const unseen = served.versions
      .filter((now) => isUnseen(now, versions.get(now.version)))
      .map(({ version }) => version);
    if (unseen.length === 0) return null;
    const named = unseen.slice(0, NAMED).join(', ');
    const more = unseen.length > NAMED ? ` and ${unseen.length - NAMED} more` : '';
    const what =
      known === null
        ? `the app ${served.key}`
        : `${counted(unseen.length, 'version')} of ${served.key}: ${named}${more}`;
    const { checkedAt, nextCheckAt } = registry;
    const evidence = { checkedAt, nextCheckAt, modifiedAt: served.modifiedAt, unseen: unseen.slice(0, NAMED) };
    const isOlderCopy = checkedAt !== null && served.modifiedAt !== null && served.modifiedAt < checkedAt;
    const again = `The next check is at ${formatTime(nextCheckAt)}`;
    if (!isOlderCopy)
      return {
        cause: 'before',
        message: message`The service does not know ${what}. It last checked at ${formatTime(checkedAt)}. ${again}.`,
        advice: message`Wait for the next check, or request one: “Refresh now” on the page of the registry, or POST /api/registries/${registry.id}/refresh.`,
        evidence,
      };
    return {
      cause: 'older-copy',
      message: message`The service does not know ${what}, although the file was last modified at ${formatTime(served.modifiedAt)}, before the service’s last check at ${formatTime(checkedAt)}: the service got an older copy, or the file was uploaded later. ${again}.`,
      advice: message`If it was uploaded before that check, purge the caches of the host, and compare its servers with appreg verify --each-address. Then request a check by the service.`,
      evidence,
    };
  },
});

/** True for a version that the service does not know, or never verified and knows with another checksum. */
function isUnseen({ checksum }: ServedApp['versions'][number], known: SubscribedVersion | undefined): boolean {
  if (known === undefined) return true;
  return isReplaceable(known) && checksum !== null && checksum !== known.artifactChecksum;
}

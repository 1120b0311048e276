import { formatTime } from '../../text/format-time.ts';
import { message, safe, type SafeText } from '../../text/message.ts';
import { safeExcerpt } from '../../text/text.ts';
import type { StoredSince } from '../../facts/facts.ts';
import { defineRule } from '../rule.ts';

export const deploymentStale = defineRule({
  id: 'deployment-stale',
  title: 'Stored app or version that is not served',
  on: 'deployment',
  needs: ['source', 'isRequested', 'unserved', 'latest', 'deadline', 'now'],
  severity: 'note',
  worstSeverity: 'error',
  spec: '4.4',
  symptom: null,
  owner: 'author',
  refusesVersion: false,
  causes: {
    app: { title: 'A stored app is not served' },
    version: { title: 'A stored version is not served' },
  },
  failsWhen:
    'the files that are to be served list an app or a version that the host does not serve, and nothing shows that it was ever served. It is an error if --against requested the comparison and the commit that added it is older than caches may hold the document, and than five minutes',
  why: 'It was published, as far as its author knows, but subscribers do not get it: a build or an upload may have failed without notice.',
  examples: {
    bad: `stored in HEAD: clock 1.1.0, since the commit of 2026-11-14T09:00:00Z
serves clock 1.0.0`,
    good: `stored in HEAD: clock 1.0.0, since the commit of 2026-11-14T09:00:00Z
serves clock 1.0.0`,
  },
  check({ source, isRequested, unserved, latest, deadline, now }) {
    const where = safeExcerpt(source, 100);
    const served = latest === null ? '' : ` The latest version that is served is ${safeExcerpt(latest, 60)}.`;
    return unserved.map(({ version, since }) => {
      const isOverdue = isOlder(since, deadline, now);
      const what = version === null ? 'The app' : `Version ${safeExcerpt(version, 60)}`;
      return {
        cause: version === null ? ('app' as const) : ('version' as const),
        ...(version !== null && { version }),
        severity: isRequested && isOverdue ? ('error' as const) : ('note' as const),
        message: message`${what} is stored in ${where}${safe(sinceText(since))}, and is not served.${served}`,
        advice: isOverdue
          ? message`Deploy ${where} again: look for the last build or upload of these files that failed or did not run, and purge the caches of the host.`
          : message`If it is to be published now, deploy it, and wait for the caches of the host.`,
        evidence: { stored: source, since: since?.at ?? null, deadline },
      };
    });
  },
});

/** True for a commit that is older than that; the time of a file is not that of its content. */
function isOlder(since: StoredSince | null, seconds: number, now: string): boolean {
  return since?.by === 'commit' && Date.parse(now) - Date.parse(since.at) > seconds * 1000;
}

function sinceText(since: StoredSince | null): SafeText {
  if (since === null) return message``;
  const { at, by, orEarlier } = since;
  const time = `${formatTime(at)}${orEarlier === true ? ' or earlier' : ''}`;
  return by === 'commit' ? message` since ${time}` : message` (changed ${time}, not committed)`;
}

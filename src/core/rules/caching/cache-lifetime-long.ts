import { message, safe } from '../../text/message.ts';
import { answersToAll } from '../../http/answers.ts';
import type { Probe, ResourceKind } from '../../facts/facts.ts';
import { freshness, type Freshness, oldCopyAge } from '../../http/cache.ts';
import { headerValue, secondsIn } from '../../http/headers.ts';
import { isAlternating } from '../../http/judged-headers.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { formatDuration } from '../../text/format-duration.ts';
import { finalHop, hostOf } from '../../http/probe.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule, type Problem } from '../rule.ts';

/** The service's check interval (spec section 8). */
const HOUR = 3600;
/** Seconds: Age is rounded, and includes the transfer and the difference between the clocks of two caches. */
const TOLERANCE = 10;
const ADVICE = message`Send Cache-Control: public, max-age=300 with the JSON files; long lifetimes and immutable are only for artifacts.`;

const CAUSES = {
  immutable: { title: 'Cache-Control: immutable' },
  long: { title: 'The lifetime is longer than an hour' },
  'stale-while-revalidate': { title: 'Stale copies may be used for longer than an hour' },
  'stale-copy': { title: 'A cache served a copy that is too old', owner: 'cache' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const cacheLifetimeLong = defineRule({
  id: 'cache-lifetime-long',
  title: 'JSON file that caches keep for too long',
  on: 'resource',
  needs: ['resource', 'web', 'answer', 'now'],
  severity: 'warning',
  spec: '8',
  symptom: 'registry-does-not-refresh',
  owner: 'host',
  purge: 'in-advice',
  supersededBy: NOT_THE_FILE,
  causes: CAUSES,
  failsWhen:
    'caches may store a JSON file for longer than an hour, it is declared immutable, or it came from a cache that stored it for too long',
  why: 'The service checks hourly; with an older copy from a cache, it sees new versions late, or a manifest that does not match the metadata.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 200 OK
Cache-Control: public, max-age=31536000, immutable`,
    good: `GET /registry.json

HTTP/1.1 200 OK
Cache-Control: public, max-age=300`,
  },
  check({ resource, web, now }) {
    if ((resource !== 'manifest' && resource !== 'metadata') || isAlternating(web, 'Cache-Control')) return null;
    const problems = answersToAll(web)
      .map((probe) => problemOf(resource, probe, now))
      .filter((problem) => problem !== null);
    return problems.find(({ severity = 'warning' }) => severity === 'warning') ?? problems[0];
  },
});

function problemOf(resource: ResourceKind, probe: Probe, now: string): Problem<Cause> | null {
  const hop = finalHop(probe);
  const fresh = freshness(hop, Date.parse(now));
  const age = secondsIn(headerValue(hop.headers, 'age'));
  const found = longLifetime(resource, fresh, oldCopyAge(probe, now)) ?? staleCopy(resource, fresh, age);
  if (found === null) return null;
  return {
    ...found,
    evidence: {
      cacheControl: headerValue(hop.headers, 'cache-control'),
      expires: headerValue(hop.headers, 'expires'),
      lifetimeSeconds: fresh.lifetime,
      ...(age === null ? {} : { ageSeconds: age }),
      ...found.evidence,
    },
    dedupeKey: `${resource} ${hostOf(hop.url)} ${fresh.source}`,
  };
}

/** @param copyAge seconds: the age of the response, if it is an old copy; otherwise 0 */
function longLifetime(resource: ResourceKind, fresh: Freshness, copyAge: number): Problem<Cause> | null {
  const { lifetime, source, immutable, stale } = fresh;
  const seen =
    copyAge === 0
      ? ''
      : `; the copy received here is ${formatDuration(copyAge)} old: it may lack what was published since`;
  const advice = copyAge === 0 ? ADVICE : message`${safe(ADVICE)} Then purge the caches, and check again.`;
  if (immutable)
    return {
      cause: 'immutable',
      message: message`The ${resourceName(resource)} is declared immutable (${String(source)}), but it changes with every published version${seen}.`,
      advice,
    };
  if (lifetime === null) return null;
  if (lifetime > HOUR)
    return {
      cause: 'long',
      message: message`Caches may store the ${resourceName(resource)} for ${formatDuration(lifetime)} (${String(source)}); the service checks hourly${seen}.`,
      advice,
    };
  if (lifetime + stale <= HOUR) return null;
  return {
    severity: 'note',
    cause: 'stale-while-revalidate',
    message: message`Caches may serve a copy of the ${resourceName(resource)} that is up to ${formatDuration(lifetime + stale)} old while they request a new one (${String(source)}): the hourly check may see a new version one check later.`,
    advice: message`Keep stale-while-revalidate below an hour for the JSON files, or omit it.`,
    evidence: { staleSeconds: stale },
  };
}

/** A response that is older than its headers allow. */
function staleCopy(
  resource: ResourceKind,
  { lifetime, staleAtMost }: Freshness,
  age: number | null,
): Problem<Cause> | null {
  if (age === null) return null;
  const copy = `A cache responded with a copy of the ${resourceName(resource)} that is ${formatDuration(age)} old`;
  const effect = 'it may lack what was published since';
  if (lifetime === null) {
    if (age <= HOUR) return null;
    return {
      cause: 'stale-copy',
      message: message`${copy}, although no Cache-Control sets a lifetime: ${effect}.`,
      advice: message`${safe(ADVICE)} Then purge the CDN, and check again.`,
    };
  }
  // Hosts that purge copies at each deploy send an Age together with max-age=0, which is correct.
  if (lifetime === 0 || age <= lifetime + staleAtMost + TOLERANCE) return null;
  return {
    cause: 'stale-copy',
    message: message`${copy}, older than its lifetime of ${formatDuration(lifetime)}${staleAtMost === 0 ? '' : ` and the ${formatDuration(staleAtMost)} for which a stale copy may be served`}: ${effect}.`,
    advice: message`Find out why the CDN keeps expired copies, purge it, and check again.`,
  };
}

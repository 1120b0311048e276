import { mapLimit } from 'appreg';
import { groupBy, type HttpOptions, openHttpClient } from 'appreg/node';
import { type RefreshContext, type ArtifactCheck } from './plan.ts';
import { type RegistryRecord } from '../db/refreshes.ts';
import { startRequestedCheck, selectArtifacts, writeAsked, type OfferedArtifact } from '../db/artifact-checks.ts';
import { openArtifactAsker, type ArtifactAsker } from './ask-artifacts.ts';
import { type Validators } from '../domain/version.ts';
import { mergeValidators, isConclusive } from '../domain/validators.ts';

/**
 * Asks the hosts of offered artifacts whether they still serve the same bytes: all of them if a subscriber requested
 * it, otherwise a share, so that each one is asked at least once a day. Those that may have changed are then fetched.
 */

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
/** Milliseconds by which a refresh may be late, in addition to a fifth of the interval. */
const SLACK = 10 * MINUTE;
/** Requests at once; those to one host are limited further. */
const CONCURRENCY = 32;

/**
 * Clears the requests of subscribers for this check, and writes when each artifact was asked for. Sends requests with a
 * client of its own: it gives up a host after several artifacts fail or hang, and the documents of that host are
 * requested nevertheless.
 * @param isOver whether no more requests may be sent
 */
export async function checkArtifacts(
  { db, settings, now: clock }: RefreshContext,
  registry: RegistryRecord,
  web: HttpOptions,
  isOver: () => boolean,
): Promise<ArtifactCheck> {
  const now = clock();
  if (registry.artifactsRequested) await startRequestedCheck(db, registry.id);
  const { artifacts, isLimited } = await selectArtifacts(db, {
    registryId: registry.id,
    ...dueArtifacts(settings.interval, registry.checkedAt, now),
    limit: settings.limits.artifactChecks,
  });
  const http = openHttpClient(web);
  const [asker, budget] = [openArtifactAsker(http), openIncomparableBudget(now)];
  const results = await mapLimit(
    groupByUrl(artifacts),
    async (group) => ({ group, ...(isOver() ? CUT_OFF : await checkArtifact(group, asker, budget)) }),
    CONCURRENCY,
  ).finally(() => http.close());
  await writeAsked(
    db,
    registry,
    results.flatMap(({ group, action }) => askedRows(group, action, now)),
  );
  const fetched = results.filter(({ action }) => action === 'fetch');
  return {
    fetch: new Set(fetched.map(({ group }) => group.url)),
    answers: new Map(
      fetched.flatMap(({ group, validators }) => (validators === null ? [] : [[group.url, validators] as const])),
    ),
    unfinished: isLimited || results.some(({ action }) => action === 'cut-off'),
  };
}

/**
 * Which artifacts are due: those that could not be asked for within a day if the next refresh did it. The share spreads
 * them over the refreshes of a day, also if some of these were missed.
 */
function dueArtifacts(interval: number, checkedAt: Date | null, now: Date): { before: Date; share: number } {
  const sinceLast = checkedAt === null ? 0 : now.getTime() - checkedAt.getTime();
  return {
    before: new Date(now.getTime() - Math.max(0, DAY - interval * 1.2 - SLACK)),
    share: Math.min(1, Math.max(interval, sinceLast) / DAY),
  };
}

/** Versions with the same artifact, for which one request is enough. */
interface SameArtifact {
  url: string;
  versions: readonly OfferedArtifact[];
}

function groupByUrl(artifacts: readonly OfferedArtifact[]): SameArtifact[] {
  const groups = groupBy(artifacts, ({ artifactUrl }) => artifactUrl);
  return [...groups].map(([url, versions]) => ({ url, versions }));
}

/** `later`: the host was not asked, or did not say; the next refresh asks again. `cut-off`: the time was over. */
type Action = 'confirm' | 'fetch' | 'later' | 'cut-off';

interface Result {
  action: Action;
  validators: Validators | null;
}

const CUT_OFF: Result = { action: 'cut-off', validators: null };

async function checkArtifact(
  { url, versions }: SameArtifact,
  asker: ArtifactAsker,
  budget: IncomparableBudget,
): Promise<Result> {
  const known =
    versions.reduce<Validators[] | null>((all, one) => mergeValidators(all, one.validators ?? []), null) ?? [];
  if (!known.some(isConclusive) && budget.afford(versions)) return { action: 'fetch', validators: null };
  const { verdict, validators } = await asker.ask(url, known);
  switch (verdict) {
    case 'same':
      return { action: 'confirm', validators };
    case 'different':
    case 'failed':
      return { action: 'fetch', validators };
    case 'same-length':
      return { action: known.some(isConclusive) && budget.afford(versions) ? 'fetch' : 'confirm', validators };
    case 'incomparable':
      return { action: budget.afford(versions) ? 'fetch' : 'later', validators };
    case 'rate-limited':
    case 'not-sent':
      return { action: 'later', validators };
  }
}

/** An artifact that is fetched remains due until it is verified. */
function askedRows({ versions }: SameArtifact, action: Action, now: Date): Parameters<typeof writeAsked>[2] {
  if (action !== 'confirm' && action !== 'fetch') return [];
  return versions.map(({ appKey, version }) => ({ appKey, version, askedAt: action === 'fetch' ? null : now }));
}

/**
 * The bytes of artifacts that a refresh fetches only because their host sends nothing to compare them by. Beyond it,
 * their length is compared.
 */
interface IncomparableBudget {
  /** True if an artifact may be fetched; it is then counted. */
  afford(versions: readonly Pick<OfferedArtifact, 'bytes' | 'verifiedAt'>[]): boolean;
}

const MIB = 2 ** 20;
/** In total, and of artifacts that were fetched recently, since subscribers may request several checks. */
const BYTES = { total: 512 * MIB, recent: 32 * MIB };
const RECENT = 900_000;

function openIncomparableBudget(now: Date): IncomparableBudget {
  const left = { ...BYTES };
  return {
    afford(versions) {
      const bytes = Math.max(...versions.map((one) => one.bytes));
      const isRecent = versions.some(({ verifiedAt }) => now.getTime() - verifiedAt.getTime() < RECENT);
      if (bytes > left.total || (isRecent && bytes > left.recent)) return false;
      left.total -= bytes;
      if (isRecent) left.recent -= bytes;
      return true;
    },
  };
}

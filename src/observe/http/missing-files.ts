import { setTimeout as sleep } from 'node:timers/promises';
import type { Probe, RepeatedProbe } from '../../core/facts/facts.ts';
import { isAnswered, lastHop, mergeAttempts, notRequested, originOf, statusOf } from '../../core/http/probe.ts';

/** Requests files again that a host reports as missing: one of several servers may not have them (yet). */

/** Statuses of a file that a host does not have, or that one of several servers does not have. */
const MISSING_STATUSES = new Set([403, 404, 410]);

/** Of those statuses the HTTP client has already retried. */
const FAULT_STATUSES = new Set([500, 502, 504]);

/** Number of files per kind and host that are confirmed to be missing; for the others one response is enough. */
const MAX_CONFIRMED = { missing: 3, fault: 1 };

/** From this number of recovered files on, files are requested again concurrently. */
const CONCURRENT_FROM = 3;

/** Rounds of two requests after the first response, and if the host is known to alternate. */
const ROUNDS = { missing: 5, fault: 1, alternating: 12 };

/** Milliseconds: a slower round is only followed by another one if the host is known to alternate. */
const SLOW_ROUND = 700;

/** Maximum delay of later rounds in milliseconds, so that alternating responses do not synchronize with them. */
const MAX_PAUSE = 20;

/** The origins whose responses alternate, and the probe that showed it. */
export type AlternatingOrigins = Map<string, Omit<RepeatedProbe, 'of'>>;

interface FileRequest<T extends { probe: Probe }> {
  /** Of the resource. */
  kind: string;
  /** @param fresh over a new connection, which may lead to another server */
  fetch(fresh: boolean): Promise<T>;
  /** Requests only the status, over a new connection. */
  fetchStatus(): Promise<Probe>;
}

export interface MissingFiles {
  /** Sends the request, and again if the file is missing, until it is returned or confirmed to be missing. */
  confirm<T extends { probe: Probe }>(request: FileRequest<T>): Promise<T>;
}

/** The missing files of one kind and host so far. */
interface HostRecord {
  confirmed: number;
  recovered: number;
  /** The last file that is being confirmed. */
  last: Promise<unknown>;
}

/** @param alternating the known origins; new ones are added */
export function openMissingFiles(alternating: AlternatingOrigins): MissingFiles {
  const records = new Map<string, HostRecord>();

  async function retry<T extends { probe: Probe }>(
    first: T,
    request: FileRequest<T>,
    record: HostRecord,
    { reason, origin }: { reason: 'missing' | 'fault'; origin: string },
  ): Promise<T> {
    const limit = MAX_CONFIRMED[reason];
    if (record.confirmed >= limit && record.recovered <= record.confirmed) return first;
    const isAlternating = (): boolean => alternating.has(origin) && record.confirmed < limit;
    const wasAlternating = isAlternating();
    const rounds = wasAlternating ? ROUNDS.alternating : ROUNDS[reason];
    let latest = await fetchAgain(first, rounds, request, alternating);
    // Requests for other files may have shown it meanwhile.
    if (!wasAlternating && !isAnswered(latest.probe) && isAlternating())
      latest = await fetchAgain(latest, ROUNDS.alternating, request, alternating);
    if (isAnswered(latest.probe)) record.recovered += 1;
    else record.confirmed += 1;
    return latest;
  }

  return {
    async confirm(request) {
      const first = await request.fetch(false);
      const hop = lastHop(first.probe);
      const reason = hop && first.probe.failure === null ? reasonToRepeat(hop.status) : null;
      if (!hop || reason === null) return first;
      const origin = originOf(hop.url);
      const key = `${reason} ${request.kind} ${origin}`;
      const record = records.get(key) ?? { confirmed: 0, recovered: 0, last: Promise.resolve() };
      records.set(key, record);
      const retryThis = (): Promise<typeof first> => retry(first, request, record, { reason, origin });
      // Files that were reported missing do appear.
      if (record.recovered >= CONCURRENT_FROM && record.recovered > record.confirmed) return retryThis();
      // Sequentially, so that no more than necessary are requested again.
      const retried = record.last.then(retryThis);
      record.last = retried.catch(() => {});
      return retried;
    },
  };
}

function reasonToRepeat(status: number): 'missing' | 'fault' | null {
  if (FAULT_STATUSES.has(status)) return 'fault';
  return MISSING_STATUSES.has(status) ? 'missing' : null;
}

async function fetchAgain<T extends { probe: Probe }>(
  first: T,
  rounds: number,
  request: FileRequest<T>,
  alternating: AlternatingOrigins,
): Promise<T> {
  let latest = first;
  let limit = rounds;
  for (let round = 0; round < limit; round += 1) {
    if (round > 0) await sleep(Math.random() * MAX_PAUSE);
    const started = performance.now();
    const [next, status] = await fetchBoth(request, round % 2 === 0);
    if (notRequested(next.probe) !== null) return latest;
    const before =
      isAnswered(status) || notRequested(status) !== null ? latest.probe : mergeAttempts(latest.probe, status);
    latest = { ...next, probe: mergeAttempts(before, next.probe) };
    const answered = [next.probe, status].find(isAnswered);
    if (answered) noteAlternating(first.probe, answered, alternating);
    if (isAnswered(next.probe)) return latest;
    if (answered) limit = ROUNDS.alternating;
    else if (limit < ROUNDS.alternating && performance.now() - started > SLOW_ROUND) return latest;
  }
  return latest;
}

/** Two requests at once, in varying order: if responses alternate, one of the two gets the other response. */
function fetchBoth<T extends { probe: Probe }>(
  request: FileRequest<T>,
  isFileFirst: boolean,
): Promise<[file: T, status: Probe]> {
  if (isFileFirst) return Promise.all([request.fetch(true), request.fetchStatus()]);
  const status = request.fetchStatus();
  return Promise.all([request.fetch(true), status]);
}

function noteAlternating(first: Probe, later: Probe, alternating: AlternatingOrigins): void {
  const url = lastHop(later)?.url;
  if (url !== undefined) alternating.set(originOf(url), { url, plain: [statusOf(first), statusOf(later)], same: [] });
}

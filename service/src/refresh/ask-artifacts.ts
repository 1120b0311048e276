import { headerValue, isAnswered, lastHop, notRequested, originOf, type Probe, statusOf } from 'appreg';
import { type HttpClient, isEntityTag } from 'appreg/node';
import { type Comparison, isConclusive, validatorsIn, compareValidators } from '../domain/validators.ts';
import { type Validators } from '../domain/version.ts';

/** Asks the host of an artifact whether it still serves the same bytes, without fetching them. */

/**
 * The comparison of the validators; `different` also if the host refuses the request, as for a deleted file. `failed`: an
 * error that may be temporary. `rate-limited` and `not-sent`: the host was not asked.
 */
type Verdict = Comparison | 'failed' | 'rate-limited' | 'not-sent';

interface ArtifactAnswer {
  verdict: Verdict;
  /** Those of the response; null if it had none. */
  validators: Validators | null;
}

export interface ArtifactAsker {
  ask(url: string, known: readonly Validators[]): Promise<ArtifactAnswer>;
}

/** Milliseconds per request. */
const TIMEOUT = 20_000;
const ACCEPT = '*/*';
/** Statuses of a request whose condition or range the host does not support. */
const CONDITION_REFUSED = new Set([400, 412, 416, 501]);

/** Sends HEAD, which also reports the length; and a conditional GET to hosts that do not support HEAD. */
export function openArtifactAsker(http: HttpClient): ArtifactAsker {
  /** Origins that answered GET after they had refused HEAD, or had omitted the validators. */
  const withoutHead = new Set<string>();
  return {
    async ask(url, known) {
      const origin = originOf(url);
      const head = withoutHead.has(origin) ? null : await askByHead(http, url, known);
      if (head !== null) return head;
      const answer = await askByGet(http, url, known);
      if (answer.verdict === 'same' || answer.verdict === 'same-length') withoutHead.add(origin);
      return answer;
    },
  };
}

/** @returns null if only a GET can tell */
async function askByHead(http: HttpClient, url: string, known: readonly Validators[]): Promise<ArtifactAnswer | null> {
  const probe = await http.probe({ method: 'HEAD', url, origin: null, accept: ACCEPT, total: TIMEOUT });
  if (statusOf(probe) === 429) return answerWithout('rate-limited');
  if (!isAnswered(probe)) return null;
  const answer = compared(known, probe);
  if (answer.verdict === 'same-length') return known.some(isConclusive) ? null : answer;
  return answer.verdict === 'incomparable' ? null : answer;
}

async function askByGet(http: HttpClient, url: string, known: readonly Validators[]): Promise<ArtifactAnswer> {
  const probe = await http.probe({
    method: 'GET',
    url,
    origin: null,
    accept: ACCEPT,
    headers: [conditionFrom(known)],
    total: TIMEOUT,
    body: () => ({ limit: 1, over: 'cut', write: () => {} }),
  });
  if (notRequested(probe) !== null) return answerWithout('not-sent');
  if (isAnswered(probe)) return compared(known, probe);
  if (probe.failure !== null) return answerWithout('failed');
  const status = statusOf(probe);
  if (status === 304) return notModified(known, probe);
  if (status === 429) return answerWithout('rate-limited');
  if (CONDITION_REFUSED.has(status)) return answerWithout('incomparable');
  return answerWithout(status >= 400 && status < 500 && status !== 408 ? 'different' : 'failed');
}

function answerWithout(verdict: Verdict): ArtifactAnswer {
  return { verdict, validators: null };
}

function compared(known: readonly Validators[], probe: Probe): ArtifactAnswer {
  const validators = validatorsIn(probe);
  return { verdict: compareValidators(known, validators), validators };
}

/** A 304 must not carry another entity tag than the one that was sent (RFC 9110 section 15.4.5). */
function notModified(known: readonly Validators[], probe: Probe): ArtifactAnswer {
  const etag = headerValue(lastHop(probe)?.headers ?? [], 'etag');
  const validators = etag === null ? null : { etag, lastModified: null, length: null };
  const isOther = validators !== null && compareValidators(known, validators) === 'different';
  return { verdict: isOther ? 'different' : 'same', validators: null };
}

/** The condition for the latest known validators, or a range, so that the body is not sent. */
function conditionFrom(known: readonly Validators[]): [string, string] {
  const latest = known.findLast(isConclusive);
  if (latest?.etag && isEntityTag(latest.etag)) return ['if-none-match', latest.etag];
  return latest?.lastModified ? ['if-modified-since', latest.lastModified] : ['range', 'bytes=0-0'];
}

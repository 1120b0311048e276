import { VERSION } from 'appreg';
import { openTrust } from 'appreg/node';
import { type Service } from '../context.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  releaseDelivery,
  type AttemptResult,
  endDelivered,
  endFailed,
  type AfterFailure,
} from '../db/deliveries.ts';
import { errorMessage } from '../log.ts';
import { type PostResult, signatureHeaders, post } from './post-webhook.ts';
import { openWebhookSecret, openWebhookUrl, signingSecrets } from '../domain/webhook-secrets.ts';

/**
 * Sends the deliveries of webhooks: at least once, in no particular order. The database assigns each to one node; the
 * deliveries of a node that was killed are sent by another.
 */
export interface WebhookSender {
  /** Claims nothing more, and waits for the attempts in progress, at most ten seconds. */
  stop(): Promise<void>;
}

type SenderContext = Pick<Service, 'settings' | 'db' | 'database' | 'log' | 'metrics' | 'outbound'>;

/** Milliseconds between two queries for due deliveries. */
const POLL_INTERVAL = 1000;
/** Attempts in progress on a node; those of webhooks whose last delivery failed; of one organization; of one webhook. */
const LIMITS = { node: 32, failing: 16, organization: 4, webhook: 2 };
/** Milliseconds for one attempt, and for its connection. An attempt ends before another node may repeat it. */
const ATTEMPT_TIMEOUT = 15_000;
const CONNECT_TIMEOUT = 5000;
/** Milliseconds that attempts in progress have when the node stops. */
const STOP_TIMEOUT = 10_000;
/** Milliseconds after a claim within which the attempt has to start. */
const START_TIMEOUT = 5000;

/** @param attemptTimeout milliseconds for one attempt, shorter than a claim */
export function startWebhookSender(context: SenderContext, attemptTimeout = ATTEMPT_TIMEOUT): WebhookSender {
  const { db } = context;
  const running = new Map<ClaimedDelivery, Promise<void>>();
  const ending = new AbortController();
  const send = openAttempts(context, attemptTimeout, ending.signal);
  const stopping = new AbortController();
  let polling: Promise<void> | null = null;

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      const options = claimOptions([...running.keys()]);
      if (options.limit === 0) return;
      const claimed = await claimDeliveries(db, options);
      const claimedAt = performance.now();
      for (const delivery of claimed) start(delivery, claimedAt);
      if (claimed.length === 0) return;
    }
  }

  function start(delivery: ClaimedDelivery, claimedAt: number): void {
    const attempt = (async () => {
      // The process was stopped in between: another node may have the delivery.
      if (performance.now() - claimedAt > START_TIMEOUT) return;
      if (stopping.signal.aborted) return releaseDelivery(db, delivery);
      return send(delivery);
    })()
      .catch((error: unknown) => logError(context, 'webhook-outcome-not-written', error))
      .finally(() => {
        running.delete(delivery);
        wake();
      });
    running.set(delivery, attempt);
  }

  function wake(): void {
    if (stopping.signal.aborted || context.database.fault() !== null) return;
    polling ??= poll()
      .catch((error: unknown) => logError(context, 'webhook-queue-error', error))
      .finally(() => (polling = null));
  }

  const timer = setInterval(wake, POLL_INTERVAL);
  wake();
  return {
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await polling;
      // An aborted attempt counts as failed, and is repeated.
      const late = setTimeout(() => ending.abort(), STOP_TIMEOUT);
      await Promise.all(running.values());
      clearTimeout(late);
    },
  };
}

/** Faults of the database are logged once for all that depends on it. */
function logError({ database, log }: SenderContext, event: string, error: unknown): void {
  if (database.report(error) === null) log('warn', event, { error: errorMessage(error) });
}

/** Limits for claims beside the attempts in progress. */
function claimOptions(running: readonly ClaimedDelivery[]) {
  return {
    limit: LIMITS.node - running.length,
    busyOrganizations: repeated(
      running.map(({ organizationId }) => organizationId),
      LIMITS.organization,
    ),
    busyWebhooks: repeated(
      running.map(({ webhookId }) => webhookId),
      LIMITS.webhook,
    ),
    includeFailing: running.filter(({ failing }) => failing).length < LIMITS.failing,
  };
}

/** The ids that occur at least this number of times. */
function repeated(ids: readonly string[], times: number): string[] {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= times).map(([id]) => id);
}

/** Sends a delivery and writes how that ended. */
function openAttempts({ settings, db, log, metrics, outbound }: SenderContext, timeout: number, signal: AbortSignal) {
  const trust = openTrust(settings.ca, settings.machineCa, outbound.contexts);
  const connect = { trust, timeout: CONNECT_TIMEOUT, lookup: outbound.lookup ?? null, guard: outbound.guard ?? null };

  async function attempt({ id, webhookId, body, ...stored }: ClaimedDelivery): Promise<PostResult> {
    const opened = openWebhookSecret(settings.secretsKeys, stored, webhookId);
    const url = openWebhookUrl(settings.secretsKeys, stored, webhookId);
    if (opened === null || url === null) return { error: 'secret-unreadable' };
    const now = new Date();
    const headers = {
      'content-type': 'application/json',
      'user-agent': `appreg/${VERSION}`,
      ...signatureHeaders(signingSecrets(opened, now), id, now, body),
    };
    return post(url, headers, body, { connect, timeout, signal });
  }

  return async (delivery: ClaimedDelivery): Promise<void> => {
    const result = await attempt(delivery);
    const { webhookId: webhook, organizationId: organization, attempts } = delivery;
    const outcome: AttemptResult =
      'error' in result ? { status: null, error: result.error } : { status: result.status, error: null };
    if (outcome.status !== null && outcome.status >= 200 && outcome.status < 300) {
      metrics.webhookDeliveries.inc({ outcome: 'delivered' });
      await endDelivered(db, delivery, outcome);
      return;
    }
    const next = afterFailure(result, attempts);
    metrics.webhookDeliveries.inc({ outcome: typeof next === 'number' ? 'failed' : 'given-up' });
    const disabled = await endFailed(db, delivery, outcome, next);
    const level = disabled === null ? 'debug' : 'warn';
    log(level, disabled === null ? 'webhook-delivery-failed' : 'webhook-disabled', {
      organization,
      webhook,
      delivery: delivery.id,
      attempts,
      ...outcome,
      ...(disabled !== null && { reason: disabled }),
    });
  };
}

/** @param attempts so far */
function afterFailure(result: PostResult, attempts: number): AfterFailure {
  const { status, retryAfter } = 'error' in result ? { status: null, retryAfter: null } : result;
  return status === 410 ? 'gone' : (waitAfterAttempt(attempts, retryAfter, Math.random()) ?? 'given-up');
}

/** When an attempt is repeated. Pure; times in milliseconds. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The waits after each failed attempt: three days in total. */
const WAITS = [
  20 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  18 * HOUR,
  22 * HOUR,
];
/** The waits are longer or shorter by up to this part, so that deliveries that failed together are not repeated together. */
const JITTER = 0.1;

/**
 * The wait until the next attempt; null if there is none.
 * @param attempts so far, at least one
 * @param retryAfter milliseconds that the receiver asked for; null if it did not
 * @param random a number from 0 to 1
 */
export function waitAfterAttempt(attempts: number, retryAfter: number | null, random: number): number | null {
  const wait = WAITS[attempts - 1];
  if (wait === undefined) return null;
  const jittered = wait * (1 + JITTER * (2 * random - 1));
  // A receiver cannot ask for more than the longest wait.
  return Math.round(Math.max(jittered, Math.min(retryAfter ?? 0, Math.max(...WAITS))));
}

import { setTimeout as sleep } from 'node:timers/promises';
import undici from 'undici';
import { AppregError } from '../core/errors/error.ts';
import { type Interception, interceptionOf } from '../core/http/interception.ts';
import { machineLimitError } from '../core/errors/machine-limit.ts';
import { isObject, type JsonValue, member } from '../core/json/json.ts';
import { jsonValueIn } from '../core/json/value-in.ts';
import { message } from '../core/text/message.ts';
import { safeExcerpt } from '../core/text/text.ts';
import { openTrust } from '../observe/http/tls.ts';
import type { ServiceClient } from '../observe/service/service-client.ts';
import { machineLimitCode } from '../platform/machine-limit.ts';
import { systemErrorCode } from '../platform/system-error.ts';

/** Subscribes an organization to a registry (spec 4.2): one POST to the service. */

export interface Subscription {
  /** The service's base URL, with a trailing slash. */
  service: string;
  /** URL of the manifest. */
  url: string;
  /** Name of the registry in the organization. */
  name: string;
  /** The credentials of a private registry, as the service's API takes them; null for none. */
  auth: Readonly<Record<string, string>> | null;
  /** For the service's authentication, which the specification does not define. */
  headers: readonly (readonly [string, string])[];
  /** PEM text of additional CAs, including NODE_EXTRA_CA_CERTS. */
  ca: string | null;
  machineCa: string | null;
  /** Milliseconds. */
  timeout: number;
}

export interface SubscriptionAnswer {
  /** `web-page`: a 2xx response with an HTML page, such as that of a sign-in page in front of the service. */
  outcome: 'subscribed' | 'already-subscribed' | 'refused' | 'web-page';
  status: number;
  /** The body, if it is JSON. */
  body: unknown;
  /** The beginning of a body that is not JSON. */
  text: string | null;
  /** The product that responded instead of the service, or null. */
  intercepted: Interception | null;
}

const BODY_LIMIT = 4_000_000;

/**
 * Sends the request and returns the response. It is not retried, since it may have been processed, and redirects are
 * not followed.
 * @throws AppregError `service-unreachable` if there is no response
 */
export async function requestSubscription(subscription: Subscription): Promise<SubscriptionAnswer> {
  const trust = openTrust(subscription.ca, subscription.machineCa);
  const tls = subscription.ca === null ? {} : { secureContext: trust.context() };
  const dispatcher = new undici.EnvHttpProxyAgent({ connect: tls, requestTls: tls });
  const endpoint = `${subscription.service}api/registries/subscribe`;
  try {
    const answer = await undici.request(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, application/problem+json',
        ...Object.fromEntries(subscription.headers),
      },
      body: JSON.stringify({
        url: subscription.url,
        name: subscription.name,
        ...(subscription.auth && { auth: subscription.auth }),
      }),
      dispatcher,
      signal: AbortSignal.timeout(subscription.timeout),
    });
    const { statusCode: status } = answer;
    const text = await textOf(answer.body);
    const body = jsonValueIn(text);
    const headers = Object.entries(answer.headers).flatMap(([name, value = []]): [string, string][] =>
      [value].flat().map((one) => [name, one]),
    );
    return {
      // A problem that the service describes may quote the page of a registry's host.
      intercepted: interceptionOf({ headers }, body === undefined ? text : ''),
      outcome: outcomeOf(status, text, body),
      status,
      body: body ?? null,
      text: body === undefined ? text.slice(0, 400) : null,
    };
  } catch (cause) {
    const limit = machineLimitCode(cause);
    if (limit !== null) throw machineLimitError(limit, message`The request to ${endpoint} failed`, { cause });
    const reason = cause instanceof Error ? cause.message || systemErrorCode(cause) || cause.name : String(cause);
    throw new AppregError(
      'service-unreachable',
      message`${endpoint} cannot be reached: ${safeExcerpt(reason)}`,
      message`Check --service and the network. For a private certificate authority, use --ca <file>.`,
      { cause },
    );
  } finally {
    await dispatcher.destroy();
  }
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > BODY_LIMIT) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The specification defines no body: a successful response may have any, but an HTML page is not one of the service. A
 * 409 does not always mean already subscribed: a service may also refuse the name.
 */
function outcomeOf(status: number, text: string, body: unknown): SubscriptionAnswer['outcome'] {
  if (status >= 200 && status < 300) return isHtml(text) ? 'web-page' : 'subscribed';
  const type = typeof body === 'object' && body !== null && 'type' in body ? body.type : null;
  return status === 409 && typeof type === 'string' && type.endsWith('already-subscribed')
    ? 'already-subscribed'
    : 'refused';
}

function isHtml(text: string): boolean {
  return /^\s*<(?:!doctype|html)/i.test(text);
}

// Waits for the first check of a registry that a service has accepted, and does not know yet.

/** The state of a registry, as the service reports it; null for what it does not report. */
export interface FirstCheck {
  /** True if the check had not ended when the time was over. */
  checking: boolean;
  /** True if the manifest cannot be used. */
  failing: boolean;
  apps: number | null;
  visible: number | null;
  errors: number | null;
  /** The errors of a registry that cannot be used. */
  findings: readonly JsonValue[];
}

interface AwaitOptions {
  /** Milliseconds to wait, and between two requests. */
  timeout: number;
  interval: number;
  onProgress(text: string): void;
}

/** The id of a subscription that was accepted before the registry was checked; null for any other response. */
export function acceptedId(status: number, body: unknown): string | null {
  if (status !== 202 || typeof body !== 'object' || body === null || !('subscription' in body)) return null;
  const { subscription } = body;
  if (typeof subscription !== 'object' || subscription === null || !('id' in subscription)) return null;
  return typeof subscription.id === 'string' ? subscription.id : null;
}

/** @returns null if the service does not report the state of registries */
export async function awaitFirstCheck(
  client: Pick<ServiceClient, 'get'>,
  id: string,
  { timeout, interval, onProgress }: AwaitOptions,
): Promise<FirstCheck | null> {
  const path = `api/registries/${encodeURIComponent(id)}`;
  const until = performance.now() + timeout;
  for (;;) {
    const { status, body } = await client.get(path);
    if (status !== 200 || !isObject(body ?? undefined) || body === null) return null;
    const checking = member(body, 'checking') === true;
    const isOver = performance.now() + interval > until;
    if (!checking || isOver) return { ...checkIn(body, checking), findings: await findingsOf(client, path, body) };
    onProgress(progressText(member(body, 'progress')));
    await sleep(interval);
  }
}

function checkIn(registry: JsonValue, checking: boolean): Omit<FirstCheck, 'findings'> {
  return {
    checking,
    failing: typeof member(registry, 'failingSince') === 'string',
    apps: numberIn(registry, 'apps'),
    visible: numberIn(registry, 'visible'),
    errors: numberIn(registry, 'errors'),
  };
}

async function findingsOf(client: Pick<ServiceClient, 'get'>, path: string, registry: JsonValue): Promise<JsonValue[]> {
  if (typeof member(registry, 'failingSince') !== 'string') return [];
  const { body } = await client.get(`${path}/report`);
  const findings = member(body ?? undefined, 'findings');
  return Array.isArray(findings) ? findings.filter((finding) => member(finding, 'severity') === 'error') : [];
}

/** `The service is reading the registry: 23 of 40 apps read, 11 artifacts verified`. */
function progressText(progress: JsonValue | undefined): string {
  const [apps, artifacts] = [member(progress, 'apps'), member(progress, 'artifacts')];
  const [total, read, verified] = [numberIn(apps, 'total'), numberIn(apps, 'read'), numberIn(artifacts, 'verified')];
  if (total === null || read === null) return 'The service is reading the registry';
  return `The service is reading the registry: ${read} of ${total} apps read, ${verified ?? 0} artifacts verified`;
}

function numberIn(value: JsonValue | undefined, name: string): number | null {
  const number = member(value, name);
  return typeof number === 'number' ? number : null;
}

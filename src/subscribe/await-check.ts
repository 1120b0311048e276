import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type JsonValue, member } from '../core/json/json.ts';
import type { ServiceClient } from '../observe/service/service-client.ts';

/** Waits for the first check of a registry that a service has accepted, and does not know yet. */

/** The state of a registry, as the service reports it; null for what it does not report. */
export interface FirstCheck {
  /** Whether the check had not ended when the time was over. */
  checking: boolean;
  /** Whether the manifest cannot be used. */
  failing: boolean;
  apps: number | null;
  visible: number | null;
  errors: number | null;
  /** The errors of a registry that cannot be used. */
  findings: readonly JsonValue[];
}

export interface AwaitOptions {
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

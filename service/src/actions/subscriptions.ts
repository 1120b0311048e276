import { type Service } from '../context.ts';
import { type CredentialsTarget, setCredentials, removeCredentials } from '../db/private-registries.ts';
import { type RegistryAuth, insecureAuthFault } from '../domain/credentials.ts';
import { type Actor } from '../domain/audit.ts';
import { registryOf } from '../db/subscriptions.ts';
import { requestArtifactCheck } from '../db/artifact-checks.ts';
import { recordAudit } from '../db/audit.ts';

/** Actions of an organization on a subscription, for the API and the pages: its credentials, and a check. */

/** `insecure`: credentials are not sent to its URL. `unsupported`: the operator has set no SECRETS_KEY. */
export type AuthOutcome =
  | { outcome: 'changed' }
  | { outcome: 'unknown-subscription' }
  | { outcome: 'insecure' | 'unsupported'; message: string };

export const NO_SECRETS_KEY =
  'This service cannot store credentials: its operator has not set SECRETS_KEY. Use a registry without authentication, or a signed URL.';

/** Sets or replaces the credentials; the registry is checked with them soon. */
export async function setAuth(
  service: Pick<Service, 'db' | 'settings' | 'log' | 'requestRefresh'>,
  target: CredentialsTarget & { auth: RegistryAuth },
): Promise<AuthOutcome> {
  const { db, settings, log } = service;
  if (settings.secretsKeys.length === 0) return { outcome: 'unsupported', message: NO_SECRETS_KEY };
  const moved = await setCredentials(db, settings.secretsKeys, target, insecureAuthFault);
  if (moved === null) return { outcome: 'unknown-subscription' };
  if (typeof moved === 'string') return { outcome: 'insecure', message: moved };
  const { registryId, isMoved } = moved;
  log('info', 'credentials-set', { organization: target.organizationId, registry: registryId, isMoved });
  await service.requestRefresh(registryId);
  return { outcome: 'changed' };
}

/** Removes the credentials; the registry is shared with other organizations from now on. */
export async function removeAuth(
  service: Pick<Service, 'db' | 'log' | 'requestRefresh'>,
  target: CredentialsTarget,
): Promise<AuthOutcome> {
  const { db, log } = service;
  const moved = await removeCredentials(db, target);
  if (moved === null) return { outcome: 'unknown-subscription' };
  const { registryId, isMoved } = moved;
  if (!isMoved) return { outcome: 'changed' };
  log('info', 'credentials-removed', { organization: target.organizationId, registry: registryId });
  await service.requestRefresh(registryId);
  return { outcome: 'changed' };
}

/**
 * Requests a refresh that asks for every offered artifact, soon after the last one ended.
 * @returns whether this request caused it, and not an earlier one of the organization; null if the organization does not have the
 * subscription
 */
export async function refreshNow(
  service: Pick<Service, 'db' | 'requestRefresh'>,
  organizationId: string,
  subscriptionId: string,
  actor: Actor,
): Promise<boolean | null> {
  const registry = await registryOf(service.db, organizationId, subscriptionId);
  if (registry === null) return null;
  const isFirst = await requestArtifactCheck(service.db, registry.id, subscriptionId);
  if (isFirst) {
    const target = { id: subscriptionId, name: registry.name };
    await recordAudit(service.db, { organizationId, actor, action: 'registry-refresh-requested', target });
  }
  await service.requestRefresh(registry.id);
  return isFirst;
}

import { redactor, type SecretHeaders } from 'appreg/node';
import { type RefreshContext } from './plan.ts';
import { type RegistryRecord } from '../db/refreshes.ts';
import { credentialsOf, type CredentialsFault } from '../db/credentials.ts';
import { secretHeadersFor } from '../domain/credentials.ts';
import { postponeRefresh, markUnauthorized } from '../db/claims.ts';

/** Values that a refresh neither stores nor shows: the credentials that it sends, and the network of the service. */

/** The credentials that a refresh sends. */
export interface RequestCredentials {
  /** For the origin of the registry only; null if it has none. */
  secrets: SecretHeaders | null;
  /** Removes them from a text; null without credentials. */
  redact: ((text: string) => string) | null;
}

const NONE: RequestCredentials = { secrets: null, redact: null };

/** Milliseconds until a registry is tried again whose credentials another key has sealed: it may be on its way. */
const KEY_DELAY = 60_000;

/** Reads the credentials of a registry. @returns the fault if they cannot be used: then nothing may be requested */
export async function readCredentials(
  { db, settings }: RefreshContext,
  { id, ownerId, url }: RegistryRecord,
): Promise<RequestCredentials | { fault: CredentialsFault }> {
  if (ownerId === null) return NONE;
  const opened = await credentialsOf(db, settings.secretsKeys, { id, ownerId, url });
  if (opened === null) return NONE;
  if ('fault' in opened) return opened;
  const secrets = secretHeadersFor(url, opened.auth);
  return { secrets, redact: redactor(secrets.headers.map(([, value]) => value)) };
}

/** Postpones the refresh of a registry whose credentials cannot be used, and logs the remedy for the operator. */
export async function postponeUnusable(
  { db, settings, log, now: clock }: RefreshContext,
  registry: RegistryRecord,
  fault: CredentialsFault,
): Promise<void> {
  const { id } = registry;
  if (fault === 'unknown-key') {
    log('error', 'credentials-locked', {
      registry: id,
      remedy: 'Set SECRETS_KEY or SECRETS_KEY_OLD to the key that they were encrypted with.',
    });
    await postponeRefresh(db, id, KEY_DELAY);
  } else {
    log('error', 'credentials-damaged', { registry: id, remedy: 'The organization has to set the credentials again.' });
    const now = clock();
    await markUnauthorized(db, registry, now, new Date(now.getTime() + settings.interval));
  }
}

/** The value, or null if it contains the credentials: a host may echo them, and what is stored is read later. */
export function unlessSecret<Value>({ redact }: RequestCredentials, value: Value | null): Value | null {
  if (redact === null || value === null) return value;
  const text = JSON.stringify(value);
  return redact(text) === text ? value : null;
}

export function containsSecret({ redact }: RequestCredentials, bytes: Uint8Array): boolean {
  if (redact === null) return false;
  const text = Buffer.from(bytes).toString('latin1');
  return redact(text) !== text;
}

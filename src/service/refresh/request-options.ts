import type { HttpOptions } from '../../observe/http/client.ts';
import type { Limits } from '../config/settings.ts';
import type { Budget } from './budget.ts';
import type { RefreshContext } from './context.ts';
import type { RequestCredentials } from './request-credentials.ts';

/** How the hosts of a registry are requested. */

/** Maximum bytes of documents: parsing a larger one would block this node. */
export const DOCUMENT_LIMITS = { manifest: 12 * 2 ** 20, metadata: 4 * 2 ** 20 };
export const CONNECTIONS = 8;
/** Of the scan of one artifact: the facts list 20 secrets, and an artifact may be made to take very long. */
export const SCAN_LIMITS = { milliseconds: 3_000, secrets: 1_000 };

/** Shares of the refresh time: artifacts started in its first half complete within it. */
const DOCUMENT_SHARE = 0.25;
const ARTIFACT_SHARE = 0.45;

export function requestOptions(
  { settings, outbound }: RefreshContext,
  { signal }: Budget,
  { secrets }: RequestCredentials,
): HttpOptions {
  return { concurrency: CONNECTIONS, ca: settings.ca, machineCa: settings.machineCa, ...outbound, secrets, signal };
}

/** Milliseconds per document of a registry that was never checked: many of those do not exist. */
const FIRST_DOCUMENT_TIMEOUT = 30_000;

/** Milliseconds per document. @param checkedAt of the registry */
export function documentTimeout({ refresh }: Limits, checkedAt: Date | null): number {
  const timeout = refresh * DOCUMENT_SHARE;
  return checkedAt === null ? Math.min(timeout, FIRST_DOCUMENT_TIMEOUT) : timeout;
}

/** Milliseconds per artifact. */
export function artifactTimeout({ refresh }: Limits): number {
  return refresh * ARTIFACT_SHARE;
}

/** The origins that browsers request the registry with. */
export function originsOf(publicUrl: string | null): string[] {
  return publicUrl === null ? [] : [new URL(publicUrl).origin];
}

import type { Network } from './trusted-proxies.ts';
import type { SecretsKeys } from '../secrets-keys.ts';

/** The operator's settings; the command line reads them from options and the environment. */
export interface Settings {
  /** postgres://…; null for an embedded server in `dataFolder`. */
  databaseUrl: string | null;
  dataFolder: string;
  host: string;
  /** 0 selects any free port. */
  port: number;
  /**
   * The public URL of the service with its trailing slash, used for links, cookies and the Origin of icons; null to use
   * the request's Host.
   */
  publicUrl: string | null;
  /** Proxies in front of the service: their X-Forwarded-For and X-Forwarded-Proto are used. */
  trustProxy: readonly Network[];
  roles: readonly ('web' | 'worker')[];
  /** Registry that every organization is subscribed to at creation; null for none. */
  coreRegistryUrl: string | null;
  communityRegistryUrl: string | null;
  /**
   * Hosts that may be requested at private addresses; `localhost` includes the loopback addresses; with a port, only
   * that port.
   */
  allowHosts: readonly string[];
  /** Whether plain http is allowed for hosts that are not in `allowHosts`. */
  allowHttp: boolean;
  /** PEM text of an additional certificate authority, or null; and of NODE_EXTRA_CA_CERTS. */
  ca: string | null;
  machineCa: string | null;
  /** The text of a trusted root of Sigstore; null for the one that the package contains. */
  trustedRoot: string | null;
  /** Token that allows creating organizations; null if only `openSignUp` does. */
  operatorToken: string | null;
  /** Seal the credentials of registries; empty if these are not supported. */
  secretsKeys: SecretsKeys;
  /** Anyone with access to the page may create an organization. */
  openSignUp: boolean;
  /** Milliseconds between two refreshes of a registry (spec section 8: hourly). */
  interval: number;
  /** Registries refreshed at once by one node. */
  concurrency: number;
  /** Where verified bytes are kept; null if they are not. */
  artifacts: ArtifactSettings | null;
  limits: Limits;
}

/** The store of verified bytes. */
export interface ArtifactSettings {
  place: { type: 'directory'; folder: string } | { type: 's3'; bucket: string; prefix: string };
  /** Maximum bytes of all files. */
  limit: number;
}

/** Resource limits per registry. */
export interface Limits {
  /** Milliseconds per refresh; what was not reached is refreshed soon after. */
  refresh: number;
  apps: number;
  versionsPerApp: number;
  /** Maximum artifacts and bytes fetched per refresh. */
  artifacts: number;
  artifactBytes: number;
  /** Maximum artifacts per refresh whose hosts are asked whether they changed. */
  artifactChecks: number;
}

export const DEFAULT_LIMITS: Limits = {
  refresh: 240_000,
  apps: 20_000,
  versionsPerApp: 2_000,
  artifacts: 500,
  artifactBytes: 4 * 2 ** 30,
  artifactChecks: 5_000,
};

/** Whether a listen address is reachable from this machine only. */
export function isLocalListenAddress(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

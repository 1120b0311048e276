/** What an operator may set; the command line reads flags and environment into it (settings-from.ts has the reading). */
export interface Settings {
  /** postgres://…; null for a server of its own in `dataFolder`. */
  databaseUrl: string | null;
  dataFolder: string;
  host: string;
  /** 0 takes any that is free. */
  port: number;
  /** The address that people reach it at, with its trailing slash: for links, cookies and the Origin of icons; null to go by the request's Host. */
  publicUrl: string | null;
  roles: readonly ('web' | 'worker')[];
  /** Registries that every organization is subscribed to at creation; null for none. */
  coreRegistryUrl: string | null;
  communityRegistryUrl: string | null;
  /** Hosts that may be asked although their addresses are private; `localhost` means the loopback addresses too; with a port, that port alone. */
  allowHosts: readonly string[];
  /** Whether plain http is allowed for hosts that are not in `allowHosts`. */
  allowHttp: boolean;
  /** PEM text of a further certificate authority, or null; and of NODE_EXTRA_CA_CERTS. */
  ca: string | null;
  machineCa: string | null;
  /** Who may create organizations: whoever knows this token; null for nobody but `openSignUp`. */
  operatorToken: string | null;
  /** Anybody who reaches the page may create an organization. */
  openSignUp: boolean;
  /** Milliseconds between two refreshes of a registry (spec section 8: hourly). */
  interval: number;
  /** Registries refreshed at once by one node. */
  concurrency: number;
  limits: Limits;
}

/** What one registry may cost. */
export interface Limits {
  /** Milliseconds for one refresh; what was not reached by then has its turn soon after. */
  refresh: number;
  apps: number;
  versionsPerApp: number;
  /** Artifacts and bytes that one refresh fetches. */
  artifacts: number;
  artifactBytes: number;
}

export const DEFAULT_LIMITS: Limits = {
  refresh: 240_000,
  apps: 20_000,
  versionsPerApp: 2_000,
  artifacts: 500,
  artifactBytes: 4 * 2 ** 30,
};

import { AppregError, message, type SafeText } from 'appreg';
import { type SecretsKeys } from './secrets-keys.ts';
import { resolve } from 'node:path';
import { isIP } from 'node:net';

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
  /** True if plain http is allowed for hosts that are not in `allowHosts`. */
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

/** True if a listen address is reachable from this machine only. */
export function isLocalListenAddress(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

export function invalidSetting(message: SafeText, hint: SafeText): AppregError {
  return new AppregError('setting-invalid', message, hint);
}

/** Bytes: 50 GB. */
const DEFAULT_LIMIT = 50e9;
const UNITS: Readonly<Record<string, number>> = { '': 1, B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/**
 * Where verified bytes are kept, and how many.
 * @param cwd the base of a relative folder @returns null without --artifacts
 * @throws AppregError `setting-invalid`
 */
export function artifactSettings(
  place: string | undefined,
  size: string | undefined,
  cwd: string,
): ArtifactSettings | null {
  if (place === undefined) {
    if (size === undefined) return null;
    throw invalidSetting(
      message`--artifacts-max is only valid with --artifacts.`,
      message`Add --artifacts <folder>, or omit --artifacts-max.`,
    );
  }
  return { place: placeIn(place, cwd), limit: size === undefined ? DEFAULT_LIMIT : bytesIn(size) };
}

function placeIn(text: string, cwd: string): ArtifactSettings['place'] {
  if (!/^\w+:\/\//.test(text) && text.trim() !== '') return { type: 'directory', folder: resolve(cwd, text) };
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text) ?? [];
  const prefix = path.replace(/\/+$/, '');
  if (bucket === undefined || prefix.split('/').some((part) => part === '..' || part === '.'))
    throw invalidSetting(
      message`--artifacts: “${text}” is neither a folder nor a bucket.`,
      message`Give a folder, or a bucket as s3://bucket/prefix.`,
    );
  return { type: 's3', bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}

/** Decimal units: 1 GB is 1,000,000,000 bytes. */
function bytesIn(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const factor = UNITS[unit.toUpperCase()];
  const bytes = Math.floor(Number(number) * (factor ?? 0));
  if (factor !== undefined && bytes >= 1e6 && Number.isSafeInteger(bytes)) return bytes;
  throw invalidSetting(
    message`--artifacts-max: “${text}” is not a size of at least 1 MB.`,
    message`Use a number with a decimal unit, such as 500MB, 50GB or 1TB.`,
  );
}

/** A network of proxies, in CIDR notation; a single address has all bits. */
export interface Network {
  /** IPv4, or IPv6 that does not embed an IPv4 address. */
  address: string;
  family: 'ipv4' | 'ipv6';
  bits: number;
}

/**
 * The networks of TRUST_PROXY: addresses or networks, separated by commas.
 * @throws AppregError `setting-invalid`
 */
export function trustedProxies(text: string | undefined): Network[] {
  const entries = (text ?? '').split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '').map(networkIn);
}

function networkIn(text: string): Network {
  const [, address = '', bits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const family = isIP(address);
  const width = family === 4 ? 32 : 128;
  const prefix = bits === undefined ? width : Number(bits);
  if (family === 0 || prefix > width)
    throw invalidSetting(
      message`TRUST_PROXY: “${text}” is neither an IP address nor a network.`,
      message`List the proxies in front of the service, separated by commas: TRUST_PROXY=10.0.0.5,192.168.0.0/16,2001:db8::/32`,
    );
  const embedded = ipv4In(address);
  if (family === 6 && embedded !== null && prefix >= 96)
    return { address: embedded, family: 'ipv4', bits: prefix - 96 };
  return { address, family: family === 4 ? 'ipv4' : 'ipv6', bits: prefix };
}

/** The address of `::ffff:192.0.2.1`: how a socket for both families reports an IPv4 connection. Null for others. */
export function ipv4In(address: string): string | null {
  return /^(?:0{0,4}:){2,5}ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? null;
}

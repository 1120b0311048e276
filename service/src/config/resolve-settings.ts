import { message, parseUrl } from 'appreg';
import { homeFolder } from 'appreg/node';
import { isIPv6 } from 'node:net';
import { isAbsolute, join, resolve } from 'node:path';
import { secretSetting, secretsKeys } from './secret-setting.ts';
import {
  artifactSettings,
  DEFAULT_LIMITS,
  invalidSetting,
  isLocalListenAddress,
  type Settings,
  trustedProxies,
} from './settings.ts';

const ROLES = ['web', 'worker'] as const;

/** The options of `appreg service`; its backup and restore have some of them. */
export interface ServiceFlags {
  port?: number;
  host?: string;
  data?: string;
  role?: readonly string[];
  allowHost?: readonly string[];
  allowHttp?: boolean;
  openSignUp?: boolean;
  artifacts?: string;
  artifactsMax?: string;
  /** Seconds. */
  interval?: number;
  concurrency?: number;
}

type Environment = Record<string, string | undefined>;

/** Minimum length of an operator token, in characters. */
const TOKEN_MIN_LENGTH = 16;
const NEW_TOKEN = message`Create one with: openssl rand -base64 32`;
const HOUR = 3_600_000;
/** Seconds. */
const LONGEST_INTERVAL = 31_536_000;
const DEFAULT_PORT = 8090;
const DEFAULT_CONCURRENCY = 8;

/**
 * Settings from flags, then the environment, then defaults for a single machine.
 * @param cwd the base of a relative --data and of files with secrets
 * @param files PEM text of authorities, and a trusted root of Sigstore, or null
 * @throws AppregError `setting-invalid`, `secret-file-unusable`
 */
export function resolveSettings(
  flags: ServiceFlags,
  env: Environment,
  { cwd, ca, machineCa, trustedRoot }: { cwd: string } & Pick<Settings, 'ca' | 'machineCa' | 'trustedRoot'>,
): Settings {
  const host = flags.host ?? (env['HOST'] || '127.0.0.1');
  const operatorToken = secretSetting(env, 'OPERATOR_TOKEN', cwd);
  if (operatorToken !== null && operatorToken.length < TOKEN_MIN_LENGTH)
    throw invalidSetting(
      message`OPERATOR_TOKEN is too short: it has ${operatorToken.length} characters, and ${TOKEN_MIN_LENGTH} are required.`,
      NEW_TOKEN,
    );
  if (operatorToken !== null && !/^[!-~]{1,512}$/.test(operatorToken))
    throw invalidSetting(
      message`OPERATOR_TOKEN contains spaces or characters beyond ASCII, or is longer than 512 characters: no request can have it as its token.`,
      NEW_TOKEN,
    );
  return {
    databaseUrl: databaseUrl(secretSetting(env, 'DATABASE_URL', cwd)),
    dataFolder: resolve(cwd, flags.data ?? dataFolder(env)),
    host,
    port: flags.port ?? portFrom(env['PORT']),
    publicUrl: webUrl(env, 'PUBLIC_URL', true),
    trustProxy: trustedProxies(env['TRUST_PROXY']),
    roles: ROLES.filter((role) => flags.role?.includes(role) ?? true),
    coreRegistryUrl: webUrl(env, 'CORE_REGISTRY_URL'),
    communityRegistryUrl: webUrl(env, 'COMMUNITY_REGISTRY_URL'),
    allowHosts: (flags.allowHost ?? []).map(hostName),
    allowHttp: flags.allowHttp === true,
    ca,
    machineCa,
    trustedRoot,
    operatorToken,
    secretsKeys: secretsKeys(env, cwd),
    openSignUp: flags.openSignUp ?? (operatorToken === null && isLocalListenAddress(host)),
    interval: interval(flags.interval),
    concurrency: concurrency(flags.concurrency),
    artifacts: artifactSettings(flags.artifacts, flags.artifactsMax, cwd),
    limits: DEFAULT_LIMITS,
  };
}

/** The default database folder. The user that runs PostgreSQL cannot access root's home. */
function dataFolder(env: Environment): string {
  const { platform } = process;
  const xdg = env['XDG_DATA_HOME'];
  if (platform === 'win32')
    return join(env['LOCALAPPDATA'] || join(requireHome(), 'AppData', 'Local'), 'appreg', 'service');
  if (process.getuid?.() === 0) return '/var/lib/appreg';
  if (xdg && isAbsolute(xdg)) return join(xdg, 'appreg', 'service');
  if (platform === 'darwin') return join(requireHome(), 'Library', 'Application Support', 'appreg', 'service');
  return join(requireHome(), '.local', 'share', 'appreg', 'service');
}

function requireHome(): string {
  const home = homeFolder();
  if (home !== null) return home;
  throw invalidSetting(
    message`The folder of the database is unknown, because HOME is not an absolute path.`,
    message`Set DATABASE_URL, HOME, or the folder: --data <dir>.`,
  );
}

function databaseUrl(text: string | null): string | null {
  if (text === null) return null;
  if (/^postgres(ql)?:\/\//.test(text)) return text;
  throw invalidSetting(
    message`DATABASE_URL is not the URL of a PostgreSQL server.`,
    message`Write it as postgres://user:password@host:5432/database.`,
  );
}

function webUrl(env: Environment, name: string, asFolder = false): string | null {
  const text = env[name]?.trim();
  if (!text) return null;
  const url = parseUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol) || (asFolder && (url.search || url.hash)))
    throw invalidSetting(
      message`${name}: “${text}” is not an http(s) URL${asFolder ? ' without a query and a fragment' : ''}.`,
      message`Give a full URL, such as ${asFolder ? 'https://flows.example.com/' : 'https://apps.example.com/registry.json'}.`,
    );
  if (url.username !== '' || url.password !== '')
    throw invalidSetting(
      message`${name}: the URL contains a user name or a password.`,
      message`Remove them: what the service links to and requests is not protected by them.`,
    );
  return asFolder && !url.href.endsWith('/') ? `${url.href}/` : url.href;
}

/** Milliseconds. */
function interval(seconds: number | undefined): number {
  if (seconds === undefined) return HOUR;
  if (seconds <= LONGEST_INTERVAL) return Math.max(1, Math.round(seconds * 1_000));
  throw invalidSetting(
    message`--interval: ${seconds} seconds are more than a year.`,
    message`Use at most ${LONGEST_INTERVAL}; the default is 3600.`,
  );
}

function concurrency(number: number | undefined): number {
  if (number === undefined) return DEFAULT_CONCURRENCY;
  if (Number.isSafeInteger(number)) return number;
  throw invalidSetting(
    message`--concurrency: ${number} is not a whole number.`,
    message`Use a whole number from 1; the default is ${DEFAULT_CONCURRENCY}.`,
  );
}

function portFrom(text: string | undefined): number {
  if (!text) return DEFAULT_PORT;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw invalidSetting(
    message`PORT: “${text}” is not a port.`,
    message`Use a number from 0 to 65535; 0 picks a free port.`,
  );
}

/** Normalized as in a URL: lower case, internationalized names in ASCII; with the port if given. */
function hostName(text: string): string {
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(:\d{1,5})?$/.exec(isIPv6(text) ? `[${text}]` : text) ?? [];
  // Also of a port above 65535.
  const url = parseUrl(`http://${host}${port}/`);
  const isHost = url !== null && url.username === '' && url.pathname === '/' && url.search === '' && url.hash === '';
  if (isHost && !url.hostname.includes('*')) return `${url.hostname}${port}`;
  throw invalidSetting(
    message`--allow-host: “${text}” is not a host name.`,
    message`Give the host without scheme, path and wildcards, such as localhost. With a port, only that port is allowed: --allow-host localhost:8080`,
  );
}

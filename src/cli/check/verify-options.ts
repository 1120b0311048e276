import { message } from '../../core/text/message.ts';
import { resolve } from 'node:path';
import { isOrigin } from '../../core/http/cors.ts';
import { isHeaderName, isReservedHeader } from '../../core/http/reserved-headers.ts';
import { parseUrl } from '../../core/url/url.ts';
import { versionRange } from '../../core/registry/version-range.ts';
import { isComparable, isSemver } from '../../core/registry/version.ts';
import { AppregError } from '../../core/errors/error.ts';
import { ownValue } from '../../core/values/record.ts';
import { networkOf } from '../../observe/http/proxy.ts';
import { pemBlocks } from '../../observe/http/tls.ts';
import type { WebOptions } from '../../observe/registry/options.ts';
import type { Config } from '../config/config.ts';
import type { OptionValues } from '../define/command.ts';
import type { verifyCommand } from '../define/verify.ts';
import type { Context } from '../config/context.ts';
import { readRegularFile } from '../../platform/regular-file.ts';

export type VerifyOptions = OptionValues<typeof verifyCommand.options>;

/** HTTP options from the command line and the configuration. Throws AppregError for invalid values. */
export function webOptionsOf(context: Context, config: Config, registry: URL, options: VerifyOptions): WebOptions {
  const timeout = options.timeout ?? config.verify?.timeout ?? null;
  const ca = options.ca === undefined ? null : authoritiesIn(resolve(context.cwd, options.ca));
  return {
    apps: options.app ?? null,
    versions: versionsOf(options.versions ?? 'all'),
    origins: (options.origin ?? config.verify?.origins ?? config.serviceOrigins ?? []).map(originOf),
    concurrency: options.concurrency ?? config.verify?.concurrency ?? 32,
    skipArtifacts: options.skipArtifacts === true,
    scanContent: options.scanContent === true,
    eachAddress: options.eachAddress === true,
    threads: true,
    total: timeout === null ? null : timeout * 1000,
    ca,
    shard: options.shard === undefined ? null : shardOf(options.shard),
    ...networkOf(context.env),
    secrets: { origin: registry.origin, headers: givenHeaders(options, context.env) },
  };
}

function originOf(text: string): string {
  const origin = parseUrl(text)?.origin ?? 'null';
  if (isOrigin(origin) && (text === origin || text === `${origin}/`)) return origin;
  const hint = isOrigin(origin)
    ? message`Did you mean --origin ${origin}?`
    : message`An origin is a scheme and a host, such as https://flows.example.com`;
  throw new AppregError('option-invalid', message`“${text}” is not an origin.`, hint);
}

function versionsOf(text: string): NonNullable<WebOptions['versions']> {
  if (text === 'all' || text === 'latest') return text;
  const range = versionRange(text);
  if (range === null)
    throw new AppregError(
      'option-invalid',
      message`--versions: “${text}” is not a version range.`,
      message`Use latest, all, or a range such as ">=2.0.0" or "1.x".`,
    );
  // A version that is not compared may be in the range: it is checked.
  return (version) => range.includes(version) || (isSemver(version) && !isComparable(version));
}

function shardOf(text: string): { index: number; of: number } {
  const found = /^(\d{1,4})\/(\d{1,4})$/.exec(text);
  const [index, of] = [Number(found?.[1]), Number(found?.[2])];
  if (found && index >= 1 && index <= of) return { index, of };
  throw new AppregError(
    'option-invalid',
    message`--shard: “${text}” is not of the form <index>/<count>.`,
    message`Use an index from 1 to the count, such as --shard 2/4.`,
  );
}

/** The given headers, validated. Throws AppregError for one that cannot be sent, or whose variable is not set. */
export function givenHeaders(
  options: Pick<VerifyOptions, 'header' | 'headerEnv'>,
  env: NodeJS.ProcessEnv,
): [string, string][] {
  const headers: [string, string][] = [];
  for (const text of options.header ?? []) {
    const at = text.indexOf(':');
    headers.push(
      checkedHeader(text.slice(0, Math.max(at, 0)), at === -1 ? '' : text.slice(at + 1).trim(), '--header', at !== -1),
    );
  }
  for (const text of options.headerEnv ?? []) {
    const at = text.indexOf('=');
    const name = text.slice(at + 1);
    const value = at === -1 ? undefined : ownValue(env, name);
    if (at !== -1 && value === undefined)
      throw new AppregError(
        'environment-variable-unset',
        message`--header-env: the environment variable ${name} is not set.`,
        message`Set it: export ${name}=…`,
      );
    headers.push(checkedHeader(text.slice(0, Math.max(at, 0)), (value ?? '').trim(), '--header-env', at !== -1));
  }
  return headers;
}

function checkedHeader(name: string, value: string, flag: string, parted: boolean): [string, string] {
  const form = flag === '--header' ? "'Name: value'" : 'Name=ENVIRONMENT_VARIABLE';
  const plain = name.trim();
  // The value is a secret, so it is not quoted.
  if (!parted || !isHeaderName(plain))
    throw new AppregError(
      'option-invalid',
      message`${flag} is not of the form ${form}.`,
      message`Write ${flag} ${form}`,
    );
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new AppregError(
      'option-invalid',
      message`${flag} ${plain}: the value contains characters that are not allowed in headers.`,
      message`Remove line breaks and control characters.`,
    );
  if (isReservedHeader(plain))
    throw new AppregError(
      'option-invalid',
      message`${flag}: appreg sets the header ${plain} itself.`,
      plain.toLowerCase() === 'origin' ? message`Use --origin <origin>.` : message`Omit it.`,
    );
  return [plain, value];
}

/** The PEM text of a file. Throws AppregError if it does not contain a certificate. */
export function authoritiesIn(path: string): string {
  const read = readRegularFile(path);
  if ('failure' in read)
    throw new AppregError(
      'ca-file-invalid',
      message`--ca: ${path} ${read.failure}.`,
      message`Give the certificate of the authority as a PEM file.`,
    );
  const text = read.bytes.toString();
  if (pemBlocks(text).length === 0)
    throw new AppregError(
      'ca-file-invalid',
      message`--ca: ${path} contains no PEM certificate.`,
      message`The file must contain a block that begins with -----BEGIN CERTIFICATE-----`,
    );
  return text;
}

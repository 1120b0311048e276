import { resolve } from 'node:path';
import type { AttestationRequirement } from '../../core/facts/attestation.ts';
import { message } from '../../core/text/message.ts';
import type { Baseline } from '../../core/facts/facts.ts';
import type { CheckCommand } from '../../core/findings/report.ts';
import { isAppregError } from '../../core/errors/error.ts';
import { redactor } from '../../observe/content/redact.ts';
import type { WebOptions } from '../../observe/registry/options.ts';
import { registryUrl } from '../../observe/registry/registry-url.ts';
import type { Workspace } from '../../observe/workspace/places.ts';
import type { LoadedConfig } from '../config/config.ts';
import { type CheckSettings, checkSettings } from './check-settings.ts';
import { attestationCheck } from './attestation-check.ts';
import type { CacheFolder } from './cache.ts';
import type { Context } from '../config/context.ts';
import { lockBaseline } from '../../workspace/lock.ts';
import type { SnapshotHeader } from './facts-file.ts';
import { type VerifyOptions, webOptionsOf } from './verify-options.ts';

/** What a check of a live registry observes, and how: shared by the commands that make one. */

/** What to observe and how; fully validated before the first request. */
export interface LiveCheck extends CheckSettings {
  command: CheckCommand;
  target: string;
  web: WebOptions;
  /** The entry file of an app's code, if the configuration names it. */
  appEntry: string | null;
  baseline: Baseline | null;
  /** How attestations are judged; null if they are not. */
  attestations: AttestationRequirement | null;
  /** ISO 8601; the time that the facts are judged at. */
  now: string;
  /** The header of saved facts. */
  header: SnapshotHeader;
  /** Facts of earlier runs, or null. */
  cache: CacheFolder | null;
  /** Removes the given secrets from a text. */
  conceal(text: string): string;
  /** As of performance.now(). */
  started: number;
  /** The same check at a later time. @param folder the cache folder, or null */
  renew(folder: string | null): Promise<LiveCheck>;
}

/** Parses the command line. Throws AppregError for invalid options, and for a missing baseline. */
export async function liveCheck(
  context: Context,
  command: CheckCommand,
  url: string,
  options: VerifyOptions,
): Promise<LiveCheck> {
  const started = performance.now();
  const loaded = await context.config();
  const { config } = loaded;
  const registry = registryUrl(url);
  const attested = await attestationCheck(context.cwd, loaded, options);
  const web = {
    ...webOptionsOf(context, config, registry, options),
    attestations: attested?.verify ?? null,
    about: command === 'diagnose' || options.about === true,
  };
  const settings = await checkSettings(context, loaded, options.baseline);
  const baseline =
    options.against === undefined
      ? lockBaseline(loaded, registry.href)
      : await baselineNamed(context, options.against, { loaded, registry, web });
  const proxy = web.proxyFor?.(registry);
  if (proxy) context.terminal.log(message`Using the proxy ${proxy.facts.url} (${proxy.facts.variable})`);
  const conceal = redactor((web.secrets?.headers ?? []).map(([, value]) => value));
  const appEntry = config.artifact?.entry ?? null;
  const attestations = attested?.requirement ?? null;
  const check = {
    command,
    target: registry.href,
    web,
    ...settings,
    appEntry,
    attestations,
    baseline,
    conceal,
    started,
  };
  const renew = async (folder: string | null): Promise<LiveCheck> => {
    const now = new Date().toISOString();
    const cache = folder === null ? null : await openRunCache(folder, registry, web, now, conceal);
    const header = {
      target: registry.href,
      seenAt: now,
      origins: [...(web.origins ?? [])],
      ...(appEntry !== null && { appEntry }),
      ...(attestations !== null && { attestations }),
    };
    return { ...check, web: { ...web, memory: cache }, now, header, cache, renew };
  };
  return renew(options.cache === undefined ? null : resolve(context.cwd, options.cache));
}

/** The cache of one run, as of `now`. */
async function openRunCache(
  folder: string,
  { href }: URL,
  { origins = [], ca = null, secrets }: WebOptions,
  now: string,
  conceal: (text: string) => string,
): Promise<CacheFolder> {
  const { openCache } = await import('./cache.ts');
  return openCache(folder, { url: href, origins, ca, headers: secrets?.headers ?? [] }, now, conceal);
}

/** The baseline that --against names, as `lint` finds it. */
async function baselineNamed(
  context: Context,
  where: string,
  { loaded, registry, web }: { loaded: LoadedConfig; registry: URL; web: WebOptions },
): Promise<Baseline> {
  const { requestedBaseline } = await import('./baseline-option.ts');
  const { baseConfigReader } = await import('../config/base-config.ts');
  const workspace = {
    ...servedWorkspace(loaded, registry),
    config: loaded.file,
    reader: await baseConfigReader(context.env),
  };
  return (await requestedBaseline(where, workspace, { ...web, secrets: null }, context)).registry;
}

/** The workspace that a live registry is published from, as far as its configuration and its URL say. */
function servedWorkspace({ config, root }: LoadedConfig, registry: URL): Workspace {
  const name = /[^/]+\.json$/.exec(registry.pathname)?.[0] ?? 'registry.json';
  // The base URL can be in a variable that is not set here.
  const baseUrl = variableOr(() => config.baseUrl, null) ?? new URL('.', registry).href;
  return { root, manifest: config.manifest ?? name, baseUrl };
}

function variableOr<T, U>(read: () => T, instead: U): T | U {
  try {
    return read();
  } catch (error) {
    if (isAppregError(error) && error.code === 'environment-variable-unset') return instead;
    throw error;
  }
}

import { resolve } from 'node:path';
import type { JudgeOptions } from '../../core/engine/judge.ts';
import { message } from '../../core/text/message.ts';
import type { Baseline } from '../../core/facts/facts.ts';
import type { CheckCommand } from '../../core/findings/report.ts';
import { isAppregError } from '../../core/errors/error.ts';
import { redactor } from '../../observe/content/redact.ts';
import type { WebOptions } from '../../observe/registry/options.ts';
import { registryUrl } from '../../core/url/registry-url.ts';
import type { Workspace } from '../../observe/workspace/places.ts';
import type { LoadedConfig } from '../config/config.ts';
import { type CheckSettings, settings } from './settings.ts';
import { attestationCheck } from './attestation-check.ts';
import type { CacheFolder } from './cache.ts';
import type { Context } from '../config/context.ts';
import { lockBaseline } from '../../workspace/lock.ts';
import type { SnapshotHeader } from './facts-file.ts';
import { type VerifyOptions, webOptionsOf } from './verify-options.ts';

/** The options of a check of a live registry: shared by the commands that make one. */

/** Fully validated before the first request. */
export interface LiveCheck
  extends CheckSettings, Required<Pick<JudgeOptions, 'command' | 'target' | 'baseline' | 'attestations'>> {
  web: WebOptions;
  /** The header of saved facts. */
  header: SnapshotHeader;
  /** Facts of earlier runs, or null. */
  cache: CacheFolder | null;
  conceal(text: string): string;
  /** As of performance.now(). */
  started: number;
  /**
   * The same check at another time.
   * @param now ISO 8601
   * @param folder the cache folder, or null
   */
  at(now: string, folder: string | null): Promise<LiveCheck>;
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
  const judged = await settings(context, options, loaded);
  const baseline =
    options.against === undefined
      ? lockBaseline(loaded, registry.href)
      : await baselineNamed(context, options.against, { loaded, registry, web });
  const proxy = web.proxyFor?.(registry);
  if (proxy) context.terminal.log(message`Using the proxy ${proxy.facts.url} (${proxy.facts.variable})`);
  const conceal = redactor((web.secrets?.headers ?? []).map(([, value]) => value));
  const attestations = attested?.requirement ?? null;
  const check = { ...judged, command, target: registry.href, attestations, baseline, conceal, started };
  const at = async (now: string, folder: string | null): Promise<LiveCheck> => {
    const cache = folder === null ? null : await openRunCache(folder, registry, web, now, conceal);
    const header = {
      target: registry.href,
      seenAt: now,
      origins: [...(web.origins ?? [])],
      ...(check.appEntry !== null && { appEntry: check.appEntry }),
      ...(attestations !== null && { attestations }),
    };
    return { ...check, web: { ...web, memory: cache }, now, header, cache, at };
  };
  return at(new Date().toISOString(), options.cache === undefined ? null : resolve(context.cwd, options.cache));
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
  const { requestedBaseline } = await import('./baseline.ts');
  const workspace = servedWorkspace(loaded, registry);
  const found = await requestedBaseline(context, where, {
    workspace,
    config: loaded.file,
    web: { ...web, secrets: null },
  });
  return found.registry;
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

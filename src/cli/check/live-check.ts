import { resolve } from 'node:path';
import type { JudgeOptions } from '../../core/engine/judge.ts';
import { message } from '../../core/text/message.ts';
import { registryAt } from '../../core/findings/fingerprint.ts';
import type { CheckCommand } from '../../core/findings/report.ts';
import { comparedBaseline } from '../../core/registry/compared.ts';
import { hasUnserved } from '../../core/registry/lock-file.ts';
import { redactor } from '../../core/text/redactor.ts';
import type { WebOptions } from '../../observe/registry/options.ts';
import { registryUrl } from '../../core/url/registry-url.ts';
import type { LoadedConfig } from '../config/config.ts';
import { type CheckSettings, settings } from './settings.ts';
import { attestationCheck } from './attestation-check.ts';
import type { CacheFolder } from './cache.ts';
import type { Comparison } from './comparison.ts';
import type { Context } from '../config/context.ts';
import { lockBaseline } from '../../workspace/lock.ts';
import type { SnapshotHeader } from './facts-file.ts';
import { type VerifyOptions, webOptionsOf } from './verify-options.ts';

/** The options of a check of a live registry: shared by the commands that make one. */

/** The same for all runs of a check. Validated before the first request, but that of a baseline at a URL. */
export interface LiveCheck
  extends Omit<CheckSettings, 'now'>, Required<Pick<JudgeOptions, 'command' | 'target' | 'baseline' | 'attestations'>> {
  web: WebOptions;
  /** The comparison with another state; null for none. */
  comparison: Comparison | null;
  /** The absolute path of --cache, or null. */
  cacheFolder: string | null;
  conceal(text: string): string;
  /** As of performance.now(). */
  started: number;
}

/** A check at one time. */
export interface CheckRun extends Omit<LiveCheck, 'cacheFolder'>, Pick<CheckSettings, 'now'> {
  /** The header of saved facts. */
  header: SnapshotHeader;
  /** Facts of earlier runs, or null. */
  cache: CacheFolder | null;
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
  const judged = await settings(context, { ...options, registries: [registryAt(registry.href).identity] }, loaded);
  const comparison = await comparisonOf(context, command, { loaded, url: registry.href, web }, options);
  const isRequested = comparison?.state.isRequested === true;
  const baseline = isRequested
    ? comparedBaseline(comparison.state)
    : lockBaseline(loaded, registry.href, comparison !== null);
  const proxy = web.proxyFor?.(registry);
  if (proxy) context.terminal.log(message`Using the proxy ${proxy.facts.url} (${proxy.facts.variable})`);
  const conceal = redactor((web.secrets?.headers ?? []).map(([, value]) => value));
  const attestations = attested?.requirement ?? null;
  const cacheFolder = options.cache === undefined ? null : resolve(context.cwd, options.cache);
  return {
    ...judged,
    command,
    target: registry.href,
    attestations,
    baseline,
    comparison,
    web,
    cacheFolder,
    conceal,
    started,
  };
}

/** Starts a run of the check, as of now, and opens its cache. @throws AppregError if the cache cannot be used */
export async function startRun({ cacheFolder, ...check }: LiveCheck): Promise<CheckRun> {
  const { target, web, appEntry, attestations, conceal } = check;
  const { origins = [], ca = null, secrets } = web;
  const now = new Date().toISOString();
  const identity = { url: target, origins, ca, headers: secrets?.headers ?? [] };
  const cache =
    cacheFolder === null ? null : (await import('./cache.ts')).openCache(cacheFolder, identity, now, conceal);
  const header = {
    target,
    seenAt: now,
    origins: [...origins],
    ...(appEntry !== null && { appEntry }),
    ...(attestations !== null && { attestations }),
  };
  return { ...check, web: { ...web, memory: cache }, now, header, cache };
}

/**
 * The comparison that --against requests. Without it, `diagnose` compares with the workspace of the registry, and so does
 * a check whose lock file has versions that were stored, and not yet seen served.
 */
async function comparisonOf(
  context: Context,
  command: CheckCommand,
  { loaded, url, web }: { loaded: LoadedConfig; url: string; web: WebOptions },
  { against }: VerifyOptions,
): Promise<Comparison | null> {
  const locked = lockBaseline(loaded, url, true);
  const isUnasked = (command === 'diagnose' && loaded.file !== null) || (locked !== null && hasUnserved(locked));
  if (against === undefined && !isUnasked) return null;
  const { namedComparison, ownComparison } = await import('./comparison.ts');
  const compared = { loaded, url, locked, apps: web.apps ?? null };
  return against === undefined ? ownComparison(context, compared) : namedComparison(context, against, compared, web);
}

import { resolve } from 'node:path';
import type { Baseline, ComparedState, Snapshot } from '../../core/facts/facts.ts';
import type { FactsPart } from '../../core/facts/part.ts';
import { isAppregError } from '../../core/errors/error.ts';
import { listedVersionsIn, manifestAppsIn, versionFields } from '../../core/registry/manifest.ts';
import {
  comparedBaseline,
  comparedState,
  type ServedListing,
  unservedIn,
  withTimes,
} from '../../core/registry/compared.ts';
import { message, safe } from '../../core/text/message.ts';
import { folderRegistry } from '../../observe/baseline/base-registry.ts';
import { registryBaseline, type SinceReader, sinceReader } from '../../observe/baseline/baseline.ts';
import { networkOf } from '../../observe/http/proxy.ts';
import type { WebOptions } from '../../observe/registry/options.ts';
import { asBase, type Workspace } from '../../observe/workspace/places.ts';
import { folderTree, readDocumentFile } from '../../observe/workspace/documents.ts';
import { isServedAt, lockBaseline } from '../../workspace/lock.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { Context } from '../config/context.ts';
import { shownPath } from '../io/shown-path.ts';
import { requestedBaseline } from './baseline.ts';

/** The comparison of a live registry with the files that it is published from, or with what was served before. */
export interface Comparison {
  state: ComparedState;
  /** Null for a state that was served. */
  since: SinceReader | null;
}

interface Compared {
  loaded: LoadedConfig;
  /** The URL of the manifest. */
  url: string;
  /** The lock file of the workspace, if it is that of this registry. */
  locked: Baseline | null;
  /** The apps that are checked; null for all. */
  apps: readonly string[] | null;
}

/** The comparison with the state that --against names. @throws AppregError if it does not exist or cannot be read */
export async function namedComparison(
  context: Context,
  where: string,
  { loaded, url, locked, apps }: Compared,
  web: WebOptions,
): Promise<Comparison> {
  const workspace = servedWorkspace(loaded, url);
  const compared = { workspace, config: loaded.file, web: { ...web, secrets: null }, isLive: true };
  const { registry, since } = await requestedBaseline(context, where, compared);
  const state = comparedState(registry, { isStored: since !== null, isRequested: true, served: locked, apps });
  return { state, since };
}

/** The comparison with the workspace that the registry is published from; null in another folder. */
export function ownComparison(context: Context, { loaded, url, locked, apps }: Compared): Comparison | null {
  const { config, file, root } = loaded;
  if (file === null || !isServedAt({ config }, url)) return null;
  const { manifest = 'registry.json', baseUrl = '' } = config;
  // Without a manifest, the files are in a store.
  if (typeof readDocumentFile(resolve(root, manifest)) === 'string') return null;
  const source = shownPath(context.cwd, root) || 'this folder';
  const found = folderRegistry(folderTree(root, source), root, { manifest, baseUrls: [asBase(baseUrl)] });
  try {
    const options = { isStored: true, isRequested: false, served: locked, apps };
    return { state: comparedState(registryBaseline(found), options), since: sinceReader(found) };
  } catch (error) {
    if (!isAppregError(error)) throw error;
    context.terminal.log(message`Not compared with ${source}: ${safe(error.message)}`);
    return null;
  }
}

/**
 * Saved facts and the baseline that they are judged with: what --against names, else what their run was asked to compare
 * with, else the lock file of the workspace.
 * @throws AppregError if what --against names does not exist or cannot be read
 */
export async function savedComparison(
  context: Context,
  facts: Snapshot,
  against: string | undefined,
): Promise<{ facts: Snapshot; baseline: Baseline | null }> {
  const loaded = await context.config();
  if (against === undefined) {
    const saved = facts.against;
    const locked = lockBaseline(loaded, facts.target, saved !== undefined);
    return { facts, baseline: saved?.isRequested === true ? comparedBaseline(saved) : locked };
  }
  const locked = lockBaseline(loaded, facts.target, true);
  const compared = { loaded, url: facts.target, locked, apps: facts.requested?.apps ?? null };
  const comparison = openComparison(await namedComparison(context, against, compared, networkOf(context.env)));
  comparison.add({ kind: 'manifest', facts: facts.manifest });
  for (const app of facts.apps) comparison.add({ kind: 'app', facts: app });
  const state = comparison.finish();
  return { facts: { ...facts, against: state }, baseline: comparedBaseline(state) };
}

/** Collects what is served, and completes the state by what is known of the rest. */
export function openComparison({ state, since }: Comparison): { add(part: FactsPart): void; finish(): ComparedState } {
  let keys: ReadonlySet<string> | null = null;
  const versions = new Map<string, ReadonlySet<string>>();
  return {
    add(part) {
      if (part.kind === 'manifest') {
        const apps = manifestAppsIn(part.facts.content);
        keys = apps && new Set(Object.keys(apps));
      } else if (part.kind === 'app') {
        const listed = listedVersionsIn(part.facts.metadata.content);
        if (listed === null) return;
        versions.set(part.facts.key, new Set(listed.flatMap((item) => versionFields(item).version ?? [])));
      }
    },
    finish() {
      const served: ServedListing = { keys, versions };
      return since === null ? state : withTimes(state, unservedIn(state, served), since);
    },
  };
}

/** The workspace that a live registry is published from, as far as its configuration and its URL say. */
function servedWorkspace({ config, root }: LoadedConfig, url: string): Workspace {
  const name = /[^/]+\.json$/.exec(new URL(url).pathname)?.[0] ?? 'registry.json';
  // The base URL can be in a variable that is not set here.
  const baseUrl = variableOr(() => config.baseUrl, null) ?? new URL('.', url).href;
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

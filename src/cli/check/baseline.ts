import { message } from '../../core/text/message.ts';
import type { Baseline, Missing, PublishedVersion } from '../../core/facts/facts.ts';
import { baselineInLock, type LockFile } from '../../core/registry/lock-file.ts';
import { AppregError } from '../../core/errors/error.ts';
import { isHttpUrl } from '../../core/url/url.ts';
import { type ComparedWorkspace, findBaseRegistry } from '../../observe/baseline/base-registry.ts';
import {
  appOfFile,
  baselineInFile,
  baselineVersionsOf,
  manifestRegistry,
  registryBaseline,
  type SinceReader,
  sinceReader,
} from '../../observe/baseline/baseline.ts';
import { localPathOf } from '../../observe/baseline/local-path.ts';
import { networkOf } from '../../observe/http/proxy.ts';
import type { WebOptions } from '../../observe/registry/options.ts';
import { registryUrl } from '../../core/url/registry-url.ts';
import type { Workspace } from '../../observe/workspace/places.ts';
import type { LintTarget } from '../../observe/workspace/target.ts';
import type { BaseSettings } from '../config/base-config.ts';
import type { Context } from '../config/context.ts';

/** The baseline of `--against`: a whole registry, or the versions of one metadata file. */
export interface BaselineOption {
  registry: Baseline | null;
  versions: PublishedVersion[] | Missing | null;
  /** The configuration that the registry of the baseline had; null if none is known. */
  settings?: BaseSettings | null;
}

/**
 * The baseline that `lint --against` names.
 * @throws AppregError if it does not exist or cannot be read
 */
export async function targetBaseline(context: Context, where: string, target: LintTarget): Promise<BaselineOption> {
  const { workspace } = target;
  const { file: config } = await context.config(workspace.root);
  if (target.kind === 'workspace') {
    const found = await requestedBaseline(context, where, { workspace, config, web: networkOf(context.env) });
    return { ...found, versions: null };
  }
  refuseEmpty(where);
  if (isHttpUrl(where)) {
    throw new AppregError(
      'option-conflict',
      message`A single metadata file cannot be compared with a live registry: its app is unknown.`,
      message`Lint the workspace: appreg lint <folder> --against <registry-url>`,
    );
  }
  const versions = baselineVersionsOf(where, await compared(context, workspace, config), target.path, context.cwd);
  // No app has a key here, but the rules still need the source of the versions.
  const registry: Baseline = { source: where, keys: [], app: () => null, isRequired: true };
  if (versions !== null) return { registry, versions };
  const reason: Missing = { missing: { code: 'baseline-without-metadata', state: 'absent', source: where } };
  return { registry: { ...registry, absent: reason }, versions };
}

/** A workspace that is compared with a baseline. */
interface Compared {
  workspace: Workspace;
  /** Its configuration, absolute; null if it has none. */
  config: string | null;
  web: WebOptions;
  /** True for a live registry: a git ref names what is to be served, and not what a branch started from. */
  isLive?: boolean;
}

/** The state that `--against` names. */
export interface RequestedBaseline {
  registry: Baseline;
  /** The configuration that it had; null if none is known. */
  settings: BaseSettings | null;
  /** Since when its files list what they list; null for a state that was served: a live registry, saved facts, a lock file. */
  since: SinceReader | null;
}

/**
 * The state that `--against` names, for every command that checks: a live registry, a folder, a git ref, a manifest,
 * saved facts or a lock file.
 * @throws AppregError if it does not exist or cannot be read
 */
export async function requestedBaseline(
  context: Context,
  where: string,
  { workspace, config, web, isLive = false }: Compared,
): Promise<RequestedBaseline> {
  refuseEmpty(where);
  if (isHttpUrl(where)) {
    const { baselineFromUrl } = await import('../../observe/baseline/from-url.ts');
    const registry = await baselineFromUrl(registryUrl(where).href, web, new Date().toISOString());
    return { registry: { ...registry, isRequired: true }, settings: null, since: null };
  }
  const { cwd } = context;
  const local = localPathOf(where, cwd, workspace.root);
  const own = { ...(await compared(context, workspace, config)), isTip: isLive };
  if (local?.isFolder === false) {
    const ofManifest = manifestRegistry(local.path, where, own);
    return {
      registry: { ...baselineInFile(local.path, where, own), isRequired: true },
      settings: null,
      since: ofManifest && sinceReader(ofManifest),
    };
  }
  const found = findBaseRegistry(where, own, cwd);
  const registry: Baseline = { ...registryBaseline(found), isRequired: true };
  // Without a configuration, the rules have their own severities.
  const settings = registry.absent === undefined ? (found.settings ?? NO_SETTINGS) : null;
  return { registry, settings, since: sinceReader(found) };
}

/** The workspace with what is needed to find its registry in a baseline. The reader knows YAML, so it is loaded on demand. */
async function compared(
  { env }: Context,
  workspace: Workspace,
  config: string | null,
): Promise<ComparedWorkspace<BaseSettings>> {
  const { baseConfigReader } = await import('../config/base-config.ts');
  return { ...workspace, config, reader: await baseConfigReader(env) };
}

const NO_SETTINGS: BaseSettings = { name: '', manifest: null, baseUrl: null, config: {} };

/** @throws AppregError `option-invalid` for an empty value */
function refuseEmpty(where: string): void {
  if (where.trim() !== '') return;
  throw new AppregError(
    'option-invalid',
    message`--against is empty.`,
    message`Give a folder, a file, a URL or a git ref; in a pipeline, check that its variable is set.`,
  );
}

/**
 * The versions that a lock file has of the app of a metadata file, by the manifest of its workspace; none if the
 * manifest does not say which app that is.
 * @param source the lock file, as messages name it
 */
export function lockedOption(
  lock: LockFile,
  source: string,
  { workspace, path }: Extract<LintTarget, { kind: 'metadata' }>,
): BaselineOption {
  const key = appOfFile(workspace, path) ?? undefined;
  const versions = key === undefined ? null : baselineInLock(lock, source).app(key);
  if (versions === null) return { registry: null, versions: null };
  return { registry: { source, keys: [], app: () => null }, versions };
}

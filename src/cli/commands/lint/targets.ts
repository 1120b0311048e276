import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { baselineInLock, LOCK_FILE } from '../../../core/registry/lock-file.ts';
import type { RegistryPlace } from '../../../core/findings/fingerprint.ts';
import { registryPlace } from '../../check/registry-place.ts';
import { type LintTarget, targetAt } from '../../../observe/workspace/target.ts';
import { readLock } from '../../../workspace/lock.ts';
import { type LocalAttestationCheck, localAttestations } from '../../check/attestation-check.ts';
import type { BaselineOption } from '../../check/baseline.ts';
import { type CheckSettings, settings } from '../../check/settings.ts';
import { type LoadedConfig, workspaceSettings } from '../../config/config.ts';
import type { Context } from '../../config/context.ts';
import { refuseStored } from '../../config/stored-state.ts';
import type { OptionsOf } from '../../io/invocation.ts';
import type { lintCommand } from '../../define/lint.ts';

/** Paths that `lint` checks, with all that they are checked by. */

export type LintOptions = OptionsOf<typeof lintCommand>;

interface ConfiguredTarget {
  target: LintTarget;
  config: LoadedConfig;
}

/** Finds out the kind of file or folder at a path. @throws AppregError if it cannot be checked */
export async function lintTarget(context: Context, name: string): Promise<ConfiguredTarget> {
  const path = resolve(context.cwd, name);
  const config = await configFor(context, path);
  const target = targetAt(path, workspaceSettings(config));
  const { root, manifest } = target.workspace;
  if (target.kind === 'workspace') refuseStored(config, root, manifest);
  return { target, config };
}

async function configFor(context: Context, path: string): Promise<LoadedConfig> {
  const from = existsSync(path) && statSync(path).isDirectory() ? path : resolve(path, '..');
  return context.config(existsSync(from) ? from : context.cwd);
}

/** A target with the settings of its own configuration, and its own baseline. */
export interface ReadyTarget extends ConfiguredTarget {
  registry: RegistryPlace;
  settings: CheckSettings;
  attestations: LocalAttestationCheck | null;
  against: BaselineOption;
}

/** Reads each configuration's settings once. @throws AppregError for an invalid setting or baseline */
export async function withSettings(
  context: Context,
  targets: readonly ConfiguredTarget[],
  options: LintOptions,
): Promise<ReadyTarget[]> {
  const read = new Map<string | null, Pick<ReadyTarget, 'settings' | 'attestations'>>();
  const registries = targets.map(({ target }) => registryPlace(target, context.cwd).identity);
  const ready: ReadyTarget[] = [];
  for (const { target, config } of targets) {
    const known = read.get(config.file) ?? {
      settings: await settings(context, { ...options, registries }, config),
      attestations: await localAttestations(context.cwd, config),
    };
    read.set(config.file, known);
    const registry = registryPlace(target, context.cwd);
    ready.push({ target, config, registry, ...known, against: await baselineOf(context, target, options.against) });
  }
  return ready;
}

/** That of --against, by default the lock file of the workspace. @throws AppregError for an invalid one */
async function baselineOf(context: Context, target: LintTarget, where: string | undefined): Promise<BaselineOption> {
  const { root } = target.workspace;
  if (where !== undefined) return (await import('../../check/baseline.ts')).targetBaseline(context, where, target);
  const lock = readLock(root);
  if (lock === null) return { registry: null, versions: null };
  const source = join(root, LOCK_FILE);
  if (target.kind === 'workspace') return { registry: baselineInLock(lock, source), versions: null };
  return (await import('../../check/baseline.ts')).lockedOption(lock, source, target);
}

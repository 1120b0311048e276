import { message, safe } from '../../core/text/message.ts';
import { join } from 'node:path';
import type { Baseline, PublishedVersion } from '../../core/facts/facts.ts';
import { member } from '../../core/json/json.ts';
import type { LockFile } from '../../core/registry/lock-file.ts';
import { manifestAppsIn, metadataUrlOf } from '../../core/registry/manifest.ts';
import { readDocumentFile } from '../../observe/workspace/documents.ts';
import { localPath } from '../../observe/workspace/places.ts';
import { AppregError } from '../../core/errors.ts';
import { isHttpUrl } from '../../core/http/url.ts';
import { baselineOf, baselineVersionsOf } from '../../observe/baseline/baseline.ts';
import { networkOf } from '../../observe/http/proxy.ts';
import { registryUrl } from '../../observe/registry/registry-url.ts';
import type { LintTarget } from '../../observe/workspace/target.ts';
import type { FixedFile } from '../../workspace/fix.ts';
import type { Context } from '../context.ts';

/** The baseline of `lint --against`: a whole registry, or the versions of one metadata file. */
export interface BaselineOption {
  registry: Baseline | null;
  versions: PublishedVersion[] | null;
}

/** Throws AppregError if the baseline does not exist or cannot be read. */
export async function readBaselineOption(where: string, target: LintTarget, context: Context): Promise<BaselineOption> {
  const { cwd } = context;
  if (where.trim() === '')
    throw new AppregError(
      'option-invalid',
      message`--against is empty.`,
      message`Give a folder, a file or a git ref; in a pipeline, check that its variable is set.`,
    );
  if (target.kind === 'metadata') {
    if (isHttpUrl(where)) {
      throw new AppregError(
        'option-conflict',
        message`A single metadata file cannot be compared with a live registry: its app is unknown.`,
        message`Lint the workspace: appreg lint <folder> --against <registry-url>`,
      );
    }
    const versions = baselineVersionsOf(where, target.workspace, target.path, cwd);
    // No app has a key here, but the rules still need the source of the versions.
    return { registry: versions && { source: where, keys: [], app: () => null }, versions };
  }
  if (!isHttpUrl(where)) return { registry: baselineOf(where, target.workspace, cwd), versions: null };
  const { baselineFromUrl } = await import('../../observe/baseline/from-url.ts');
  const network = networkOf(context.env);
  return {
    registry: await baselineFromUrl(registryUrl(where).href, network, new Date().toISOString()),
    versions: null,
  };
}

/**
 * The versions that a lock file has of the app of a metadata file, by the manifest of its workspace; none if the
 * manifest does not say which app that is.
 * @param source the lock file, as messages name it
 */
export function lockedOption(
  lock: LockFile,
  source: string,
  { workspace: { root, manifest, baseUrl }, path }: Extract<LintTarget, { kind: 'metadata' }>,
): BaselineOption {
  const content = readDocumentFile(join(root, manifest));
  const apps = typeof content === 'string' ? null : manifestAppsIn(content);
  const key = Object.keys(apps ?? {}).find((one) => {
    const url = metadataUrlOf(member(apps ?? {}, one));
    return url !== null && localPath(url, baseUrl) === path;
  });
  const versions = key === undefined ? undefined : lock.get(key);
  if (versions === undefined) return { registry: null, versions: null };
  return { registry: { source, keys: [], app: () => null }, versions: [...versions.values()] };
}

/** Says what `lint --fix` corrected in a file, and which corrections affect published versions. */
export function printFixed(
  { log }: Pick<Context['terminal'], 'log'>,
  { path, app, fixes, refused }: FixedFile,
  against: BaselineOption,
): void {
  if (refused !== null) log(message`${path}: not fixed. ${safe(refused)}`);
  else if (fixes === null)
    log(message`${path}: not fixed, because another process changed it in the meantime; run appreg lint --fix again`);
  for (const { pointer, what, version } of fixes ?? []) {
    const touched = version !== null && wasPublished(against, app, version);
    log(
      message`${path}${pointer === '' ? '' : ` ${pointer}`}: ${what}${touched ? ' — this version is already published' : ''}`,
    );
  }
}

/** True for a version that was already published. */
function wasPublished(against: BaselineOption, app: string | null, version: string): boolean {
  const versions = against.versions ?? (app === null ? null : against.registry?.app(app));
  return Array.isArray(versions) && versions.some((entry) => entry.version === version);
}

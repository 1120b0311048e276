import type { Earlier, EarlierVersion } from '../core/facts.ts';
import { Trouble } from '../core/trouble.ts';
import { earlierOf, earlierVersionsOf } from '../observe/earlier.ts';
import type { Target } from '../observe/target.ts';
import type { Context } from './context.ts';
import { networkOf } from './network.ts';
import { registryUrl } from './verify-options.ts';

/** What `lint --against` names, for what is linted: a whole registry, or the versions of one metadata file. */
export interface Against {
  registry: Earlier | null;
  versions: EarlierVersion[] | null;
}

export const NOTHING: Against = { registry: null, versions: null };

/** Throws Trouble when there is no such state, or when it cannot be read. */
export async function againstOf(where: string, target: Target, context: Context): Promise<Against> {
  const { cwd } = context;
  if (where.trim() === '')
    throw new Trouble(
      'against-empty',
      '--against was given nothing to compare with.',
      'Name a folder, a file or a git ref; in a pipeline, see whether the variable that holds it is set.',
    );
  const isUrl = /^https?:\/\//i.test(where);
  if (target.kind === 'metadata') {
    if (isUrl) {
      throw new Trouble(
        'against-url',
        'A metadata file by itself cannot be compared with a live registry: nobody says which app it is of.',
        'Lint the workspace: appreg lint <folder> --against <registry-url>',
      );
    }
    const versions = earlierVersionsOf(where, target.workspace, target.path, cwd);
    // No app is known by its key here; the rules still want to know where the versions come from.
    return { registry: versions && { source: where, keys: [], app: () => null }, versions };
  }
  if (!isUrl) return { registry: earlierOf(where, target.workspace, cwd), versions: null };
  const { earlierFromUrl } = await import('../observe/earlier-web.ts');
  const network = networkOf(context.env);
  return { registry: await earlierFromUrl(registryUrl(where).href, network, new Date().toISOString()), versions: null };
}

/** True for a version that had been published. */
export function wasPublished(against: Against, app: string | null, version: string): boolean {
  const versions = against.versions ?? (app === null ? null : against.registry?.app(app));
  return Array.isArray(versions) && versions.some((entry) => entry.version === version);
}

import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { type RegistryPlace, registryAt } from '../../core/findings/fingerprint.ts';
import { asBase, type Workspace } from '../../observe/workspace/places.ts';
import { type LintTarget, manifestIn } from '../../observe/workspace/target.ts';
import { gitRoot } from '../../platform/git-root.ts';

/**
 * The place of the registry that a path is in, which is the same from every folder, in every clone and work tree. With a
 * configured base URL, its identity is the URL of the manifest.
 * @param cwd the folder that shown names are relative to
 */
export function registryPlace(target: LintTarget, cwd: string): RegistryPlace {
  const { baseUrl } = target.workspace;
  const { root, manifest } = target.kind === 'metadata' ? workspaceAbove(target.workspace) : target.workspace;
  const isConfigured = baseUrl !== null && (target.kind === 'metadata' || !target.inferred);
  const path = join(root, manifest);
  const identity = isConfigured
    ? registryAt(new URL(withSlashes(manifest), asBase(baseUrl)).href).identity
    : pathInRepository(path, root);
  return { identity, folder: withSlashes(dirname(path)), shownFrom: withSlashes(cwd) };
}

/** The workspace around a metadata file; without a configuration, the nearest folder with a manifest. */
function workspaceAbove(workspace: Workspace): Pick<Workspace, 'root' | 'manifest'> {
  if (existsSync(join(workspace.root, workspace.manifest))) return workspace;
  for (let root = workspace.root; root !== dirname(root); root = dirname(root)) {
    const manifest = manifestIn(root);
    if (manifest !== null) return { root, manifest };
    if (gitRoot(root) === root) break;
  }
  return workspace;
}

/** The path of a file from the root of its repository; outside of one, from the root of the workspace. */
function pathInRepository(path: string, root: string): string {
  const folder = realPath(dirname(path));
  const file = join(folder, path.slice(dirname(path).length));
  return withSlashes(relative(gitRoot(folder) ?? realPath(root), file));
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // A missing folder is reported when it is read.
    return path;
  }
}

function withSlashes(path: string): string {
  return path.split(sep).join('/');
}

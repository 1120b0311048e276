import { packageFolder } from '../package-paths.ts';
import { isVirtual, type Trace } from '../sources.ts';

/** The packages of which code is in the output, by their folders, and which of them each imports. */
export interface FoundPackages {
  /** Absolute. */
  folders: ReadonlySet<string>;
  /** The folders of the packages that a package imports, by its folder; those of the app itself by null. */
  imports: ReadonlyMap<string | null, ReadonlySet<string>>;
}

/**
 * Finds the packages by the metafile: a file below `node_modules/<name>` belongs to the package `<name>`, also if a
 * folder inside it has a package.json of its own. Code outside of node_modules is the app's own, with the packages of
 * its workspace.
 */
export function findPackages(traces: readonly Trace[]): FoundPackages {
  const folders = new Set<string>();
  for (const { folder, bundled } of traces) {
    for (const input of bundled) {
      const found = isVirtual(input) ? null : packageFolder(input, folder);
      if (found !== null) folders.add(found);
    }
  }
  const imports = new Map<string | null, Set<string>>();
  for (const trace of traces) {
    for (const input of trace.bundled) {
      const from = isVirtual(input) ? null : packageFolder(input, trace.folder);
      const known = imports.get(from) ?? new Set<string>();
      imports.set(from, known);
      for (const to of importedBy(input, trace, folders)) if (to !== from) known.add(to);
    }
  }
  return { folders, imports };
}

/** The bundled packages that a file imports. Modules without bytes in the output, which only re-export, are followed. */
function importedBy(input: string, { folder, inputs, bundled }: Trace, folders: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  const queue = new Set(inputs.get(input));
  for (const path of queue) {
    const owner = packageFolder(path, folder);
    if (owner !== null && folders.has(owner)) found.add(owner);
    else if (!bundled.has(path)) for (const next of inputs.get(path) ?? []) queue.add(next);
  }
  return found;
}

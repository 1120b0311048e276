import { join } from 'node:path';
import { listedVersionsIn } from '../../core/registry/metadata.ts';
import { readDocumentFile } from './documents.ts';

/** The unreferenced metadata files, as paths below the root: JSON below a folder that has an array `versions`. */
export function findOrphans(root: string, files: Iterable<string>, used: ReadonlySet<string | null>): string[] {
  const orphans: string[] = [];
  for (const path of files) {
    if (!path.endsWith('.json') || !path.includes('/') || used.has(path)) continue;
    const content = readDocumentFile(join(root, path));
    if (typeof content === 'string' || content.text === null) continue;
    if (listedVersionsIn(content) !== null) orphans.push(path);
  }
  return orphans;
}

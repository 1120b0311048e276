import { join } from 'node:path';
import type { IconFacts, Missing } from '../../core/facts/facts.ts';
import { localPath } from './places.ts';
import { isUnwalked } from './walk.ts';
import {
  ELSEWHERE,
  localFile,
  NOT_THERE,
  OFFLINE,
  OTHER_NAME,
  otherNameOf,
  stateIn,
  type WorkspaceContext,
} from './workspace-context.ts';

/** Observes the icons of a workspace. */

/** An icon in the workspace. */
interface IconFile {
  url: string | null;
  path: string;
}

/** Observes icons. Most are elsewhere: for these nothing is awaited. */
export interface IconObserver {
  /** @throws AppregError `file-unreadable` */
  observe(url: string | null): Promise<IconFacts> | IconFacts;
}

/**
 * @param urls of all icons that the manifest lists: if one of them is in the workspace, an icon below the base URL
 *   belongs there as well; otherwise they may be stored elsewhere
 */
export function openIcons(context: WorkspaceContext, urls: readonly (string | null)[]): IconObserver {
  let isAnyHere: boolean | null = null;

  function belongsHere(path: string | null): path is string {
    if (path === null) return false;
    isAnyHere ??= urls.some((url) => {
      const found = findIcon(context, url, localFile(context, url));
      return 'path' in found || found.otherName !== undefined;
    });
    return isAnyHere;
  }

  return {
    observe(url) {
      const expected = localFile(context, url);
      const found = findIcon(context, url, expected);
      if ('path' in found) return observeIconFile(context, found);
      if (url === null || found.otherName !== undefined) return found;
      const path = typeof expected === 'string' ? expected : localPath(url, context.base);
      return belongsHere(path)
        ? { ...absentIcon(url, NOT_THERE), file: context.nameOf(path), local: 'missing' }
        : found;
    },
  };
}

/**
 * The icon's file if something is at its path; otherwise its facts.
 * @param path from `localFile`
 */
function findIcon(context: WorkspaceContext, url: string | null, path: string | Missing): IconFile | IconFacts {
  if (typeof path !== 'string') return absentIcon(url, path);
  const otherName = otherNameOf(context, path);
  if (otherName) return { ...absentIcon(url, OTHER_NAME), otherName };
  return isThere(context, path) ? { url, path } : absentIcon(url, ELSEWHERE);
}

function isThere(context: WorkspaceContext, path: string): boolean {
  const { tree } = context;
  if (tree && !isUnwalked(path)) return tree.files.has(path) || tree.folders.has(`${path}/`);
  return stateIn(context, path) !== 'missing';
}

function absentIcon(url: string | null, reason: Missing): IconFacts {
  return { url, file: null, web: OFFLINE, content: reason, image: reason };
}

/** Reads and inspects an icon. */
async function observeIconFile(context: WorkspaceContext, { url, path }: IconFile): Promise<IconFacts> {
  const file = context.nameOf(path);
  const state = stateIn(context, path);
  if (state !== null) return { ...absentIcon(url, NOT_THERE), file, local: state };
  // Loaded on demand: it digests, looks for secrets, and has a parser of XML.
  const { readIcon } = await import('./read-icon.ts');
  return { url, file, web: OFFLINE, ...(await readIcon(join(context.root, path))) };
}

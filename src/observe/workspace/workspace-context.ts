import { join } from 'node:path';
import type { LocalState, Missing, Resource } from '../../core/facts/facts.ts';
import { blockedBy } from '../../core/facts/missing.ts';
import type { VerifyBundle } from '../content/attestation.ts';
import { stateAt } from './local-state.ts';
import { localPath, staysInside } from './places.ts';
import { type Checkout, NOT_CHECKED_OUT } from './checkout.ts';
import type { OtherNames } from './other-names.ts';
import { isUnwalked, type WalkResult } from './walk.ts';

/** Which files of a workspace its URLs refer to. */

export const OFFLINE: Missing = { missing: { code: 'offline' }, runWide: true };
export const ELSEWHERE: Missing = { missing: { code: 'not-in-workspace' } };
export const OTHER_NAME: Missing = blockedBy('file-name-differs');
/** Of a file that should be in the workspace, and cannot be read. */
export const NOT_THERE: Missing = blockedBy('file-missing');
export const NO_URL: Missing = blockedBy('schema-violation');
const PLAIN_NAME = /^\w[\w.-]*$/;

export interface WorkspaceContext {
  root: string;
  base: string | null;
  /** True if there are any symbolic links; without any, paths need not be resolved. */
  links: boolean;
  /** All files, if `walk` could list them; checking the disk for a missing file is expensive. */
  tree: WalkResult | null;
  /** The last folder, as a URL, that is not in the workspace: an app's artifacts are mostly in one. */
  outsideFolder: string;
  names: OtherNames;
  checkout: Checkout;
  nameOf(path: string): string;
  /** Verification of the attestations beside artifacts; null if there is none. */
  attestations: LocalAttestations | null;
}

/** Verification of the attestations of a workspace. */
export interface LocalAttestations {
  /** True if it is a fact that an artifact has none. */
  reportsAbsent: boolean;
  /** Loads what verifies bundles. */
  open(): Promise<VerifyBundle>;
}

/** True for a link out of the workspace. Paths are resolved if there are any links, or if `walk` did not run. */
export function leadsOut(context: WorkspaceContext, path: string): boolean {
  return (context.links || isUnwalked(path)) && !staysInside(context.root, path);
}

/** Set if the folders list the file under another name than the URL's, and not under that one. */
export function otherNameOf({ names }: WorkspaceContext, path: string): Resource['otherName'] {
  const listed = names.listedAs(path);
  return listed === null ? undefined : { path, listed };
}

/** The path of an artifact or icon that may be in the workspace, or why it cannot be. */
export function localFile(context: WorkspaceContext, url: string | null): string | Missing {
  if (url === null) return NO_URL;
  const { outsideFolder: away } = context;
  if (away !== '' && url.startsWith(away) && PLAIN_NAME.test(url.slice(away.length))) return ELSEWHERE;
  const path = localPath(url, context.base);
  if (path === null) return ELSEWHERE;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  if (context.tree && !context.tree.folders.has(folder) && !isUnwalked(path)) {
    if (context.names.hasFolder(folder)) return path;
    if (url.endsWith(path)) context.outsideFolder = url.slice(0, url.lastIndexOf('/') + 1);
    return ELSEWHERE;
  }
  return path;
}

/** The reason why an artifact or icon is not in the workspace. */
export function absence({ base, checkout }: WorkspaceContext, url: string | null): Missing {
  const path = url === null ? null : localPath(url, base);
  return path !== null && checkout.leavesOut(path) ? NOT_CHECKED_OUT : ELSEWHERE;
}

/** State of a path; null for one that can be read. @throws AppregError `file-unreadable` */
export function stateIn(context: WorkspaceContext, path: string): LocalState | null {
  return leadsOut(context, path) ? 'outside' : stateAt(join(context.root, path));
}

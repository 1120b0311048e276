import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { PACKAGE_LOCKS, withPackageVersion, withVersion } from '../core/release/version-file.ts';
import { listedToExceed, nextVersion } from '../core/release/state.ts';
import { isMissing } from '../core/facts/facts.ts';
import { printable } from '../core/text/text.ts';
import { replaceFile, requireWritableFile } from '../store/directory/atomic.ts';
import { stopIfInterrupted } from '../store/interrupt.ts';
import { type EvaluatedApp, evaluateApps } from './evaluate.ts';
import { shownBelow } from './find-apps.ts';
import type { PublishedState } from './published.ts';
import type { OpenRepository } from './repository.ts';

interface Bump {
  version: string;
  /** The new text of the version file. */
  text: string;
  /** The lock files of npm that repeat the version. */
  locks: readonly string[];
}

interface Bumps {
  /** By path of the version file. */
  versionFiles: ReadonlyMap<string, Bump>;
  /** The new texts of the lock files; apps may share one. */
  locks: ReadonlyMap<string, string>;
}

/**
 * Raises the version of each changed app in its version file and in the lock files of npm that repeat it, and evaluates
 * these apps again.
 * @returns all apps; those with a raised version in their new state
 */
export async function bumpApps(
  repository: OpenRepository,
  apps: readonly EvaluatedApp[],
  published: PublishedState,
  { dryRun, jobs }: { dryRun: boolean; jobs: number },
): Promise<EvaluatedApp[]> {
  const { versionFiles: bumps, locks } = bumpsFor(apps, published);
  for (const file of [...locks.keys(), ...bumps.keys()])
    await requireWritableFile(file, shownBelow(repository.root, file));
  const shown = (versionFile: string, bump: Bump): string =>
    [versionFile, ...bump.locks].map((file) => printable(shownBelow(repository.root, file))).join(' and ');
  if (dryRun)
    return apps.map((one) => {
      const bump = one.result.state === 'changed' ? bumps.get(one.app.versionFile) : undefined;
      if (bump === undefined) return one;
      const advice = `appreg release --bump writes ${bump.version} into ${shown(one.app.versionFile, bump)}.`;
      return { ...one, result: { ...one.result, advice } };
    });
  // The version files are last, so that an interrupted run can be repeated.
  for (const [file, text] of [...locks, ...[...bumps].map(([file, bump]) => [file, bump.text] as const)]) {
    stopIfInterrupted();
    await replaceFile(file, Buffer.from(text));
  }
  const raised = apps.filter(({ app }) => bumps.has(app.versionFile));
  if (raised.length === 0) return [...apps];
  const reevaluated = await evaluateApps(
    repository,
    raised.map(({ app }) => app),
    published,
    { jobs, loads: false },
  );
  return apps.map((one) => {
    const next = reevaluated.find(({ app }) => app === one.app);
    const bump = bumps.get(one.app.versionFile);
    if (next?.result.state !== 'new' || bump === undefined) return next ?? one;
    const message = `Raised from ${one.result.declared} to ${next.result.declared} in ${shown(one.app.versionFile, bump)}.`;
    return { ...next, result: { ...next.result, message } };
  });
}

/** Apps that share a version file get a version above all of theirs. */
function bumpsFor(apps: readonly EvaluatedApp[], { listed, lock }: PublishedState): Bumps {
  const bumps = new Map<string, Bump>();
  const locks = new Map<string, string>();
  for (const { app, declared, result } of apps) {
    if (result.state !== 'changed' || declared === null) continue;
    const versions = listed.app(app.key);
    const above = versions === null || isMissing(versions) ? null : listedToExceed(declared.version, versions);
    const known = [declared.version, above, bumps.get(app.versionFile)?.version];
    const taken = new Set(lock?.versions.get(app.key)?.keys());
    const version = nextVersion(
      known.filter((one) => one != null),
      taken,
    );
    const changed = changedPackageLocks(app.versionFile, version, locks);
    for (const { file, text } of changed) locks.set(file, text);
    const text = withVersion(declared, version);
    bumps.set(app.versionFile, { version, text, locks: changed.map(({ file }) => file) });
  }
  return { versionFiles: bumps, locks };
}

const MAX_BYTES = 64 * 1024 ** 2;

/** A file to write. */
export interface ChangedFile {
  /** An absolute path. */
  file: string;
  text: string;
}

/**
 * The lock files of npm that list a package, with its new version: those beside its package.json, and those in the
 * folders above it, up to the root of its git repository. Links, and files that do not list the package, are left out.
 * @param versionFile the absolute path of the file with the version; lock files repeat only that of a package.json
 * @param pending new texts of files, by path, that are to be written
 */
export function changedPackageLocks(
  versionFile: string,
  version: string,
  pending: ReadonlyMap<string, string> = new Map(),
): ChangedFile[] {
  if (basename(versionFile) !== 'package.json') return [];
  const folder = dirname(versionFile);
  return foldersInRepository(folder).flatMap((above) => {
    const path = relative(above, folder).replaceAll('\\', '/');
    return PACKAGE_LOCKS.flatMap((name) => {
      const file = join(above, name);
      const bytes = pending.has(file) ? Buffer.from(pending.get(file) ?? '') : readLock(file);
      const text = bytes === null ? null : withPackageVersion(bytes, path, version);
      return text === null ? [] : [{ file, text }];
    });
  });
}

/** A folder and those above it, up to the root of its git repository; outside of one, the folder alone. */
function foldersInRepository(folder: string): string[] {
  const folders = [folder];
  for (let at = folder; !existsSync(join(at, '.git')); folders.push(at)) {
    if (dirname(at) === at) return [folder];
    at = dirname(at);
  }
  return folders;
}

function readLock(file: string): Buffer | null {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats === undefined || !stats.isFile() || stats.size > MAX_BYTES ? null : readFileSync(file);
}

import { nextVersion } from '../../core/release/next-version.ts';
import { withVersion } from '../../core/release/version-file.ts';
import { printable } from '../../core/text/text.ts';
import { shownBelow } from '../../release/find-apps.ts';
import { changedPackageLocks } from '../../release/package-locks.ts';
import { replaceFile } from '../../store/directory/atomic.ts';
import { stopIfInterrupted } from '../../store/interrupt.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { Context } from '../context.ts';
import { type EvaluatedApp, evaluateApps, type PublishedState } from './evaluate.ts';

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
  context: Context,
  loaded: LoadedConfig,
  apps: readonly EvaluatedApp[],
  published: PublishedState,
  { dryRun, jobs }: { dryRun: boolean; jobs: number },
): Promise<EvaluatedApp[]> {
  const { versionFiles: bumps, locks } = bumpsFor(apps, published);
  const shown = (versionFile: string, bump: Bump): string =>
    [versionFile, ...bump.locks].map((file) => printable(shownBelow(loaded.root, file))).join(' and ');
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
    context,
    loaded,
    raised.map(({ app }) => app),
    published,
    jobs,
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
function bumpsFor(apps: readonly EvaluatedApp[], { lock }: PublishedState): Bumps {
  const bumps = new Map<string, Bump>();
  const locks = new Map<string, string>();
  for (const { app, declared, result } of apps) {
    if (result.state !== 'changed' || declared === null) continue;
    const known = [declared.version, result.listed, bumps.get(app.versionFile)?.version];
    const taken = new Set(lock?.get(app.key)?.keys());
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

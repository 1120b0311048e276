import { nextVersion } from '../../core/release/next-version.ts';
import { withVersion } from '../../core/release/version-file.ts';
import { printable } from '../../core/text/text.ts';
import { shownBelow } from '../../release/find-apps.ts';
import { type ChangedFile, changedPackageLocks } from '../../release/package-locks.ts';
import { replaceFile } from '../../store/directory/atomic.ts';
import { stopIfInterrupted } from '../../store/interrupt.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { Context } from '../context.ts';
import { type EvaluatedApp, evaluateApps, type PublishedState } from './evaluate.ts';

interface Bump {
  version: string;
  /** In the order in which they are written: the version file is last, so that an interrupted run can be repeated. */
  files: ChangedFile[];
}

/**
 * Raises the version of each changed app in its version file and in the lock files of npm beside it, and evaluates these
 * apps again.
 * @returns all apps; those with a raised version in their new state
 */
export async function bumpApps(
  context: Context,
  loaded: LoadedConfig,
  apps: readonly EvaluatedApp[],
  published: PublishedState,
  { dryRun, jobs }: { dryRun: boolean; jobs: number },
): Promise<EvaluatedApp[]> {
  const bumps = bumpsFor(apps, published);
  const shown = ({ files }: Bump): string =>
    files
      .map(({ file }) => printable(shownBelow(loaded.root, file)))
      .toReversed()
      .join(' and ');
  if (dryRun)
    return apps.map((one) => {
      const bump = one.result.state === 'changed' ? bumps.get(one.app.versionFile) : undefined;
      if (bump === undefined) return one;
      const advice = `--bump writes ${bump.version} into ${shown(bump)}.`;
      return { ...one, result: { ...one.result, advice } };
    });
  for (const { file, text } of [...bumps.values()].flatMap(({ files }) => files)) {
    stopIfInterrupted();
    await replaceFile(file, Buffer.from(text));
  }
  const raised = apps.filter(({ app }) => bumps.has(app.versionFile));
  if (raised.length === 0) return [...apps];
  const again = await evaluateApps(
    context,
    loaded,
    raised.map(({ app }) => app),
    published,
    jobs,
  );
  return apps.map((one) => {
    const next = again.find(({ app }) => app === one.app);
    const bump = bumps.get(one.app.versionFile);
    if (next?.result.state !== 'new' || bump === undefined) return next ?? one;
    const message = `Raised from ${one.result.declared} to ${next.result.declared} in ${shown(bump)}.`;
    return { ...next, result: { ...next.result, message } };
  });
}

/** By file; apps that share one get a version above all of theirs. */
function bumpsFor(apps: readonly EvaluatedApp[], { lock }: PublishedState): Map<string, Bump> {
  const bumps = new Map<string, Bump>();
  for (const { app, declared, result } of apps) {
    if (result.state !== 'changed' || declared === null) continue;
    const known = [declared.version, result.listed, bumps.get(app.versionFile)?.version];
    const taken = new Set(lock?.get(app.key)?.keys());
    const version = nextVersion(
      known.filter((one) => one != null),
      taken,
    );
    const versionFile = { file: app.versionFile, text: withVersion(declared, version) };
    bumps.set(app.versionFile, { version, files: [...changedPackageLocks(app.versionFile, version), versionFile] });
  }
  return bumps;
}

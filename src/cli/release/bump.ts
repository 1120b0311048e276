import { nextVersion } from '../../core/release/next-version.ts';
import { withVersion } from '../../core/release/version-file.ts';
import { printable } from '../../core/text/text.ts';
import { shownBelow } from '../../release/find-apps.ts';
import { replaceFile } from '../../store/directory/atomic.ts';
import { stopIfInterrupted } from '../../store/interrupt.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { Context } from '../context.ts';
import { type EvaluatedApp, evaluateApps, type Published } from './evaluate.ts';

interface Bump {
  /** Absolute. */
  file: string;
  version: string;
  text: string;
}

/**
 * Raises the version of each changed app in its version file, and evaluates these apps again.
 * @returns all apps; those with a raised version in their new state
 */
export async function bumpApps(
  context: Context,
  loaded: LoadedConfig,
  apps: readonly EvaluatedApp[],
  published: Published,
  { dryRun, jobs }: { dryRun: boolean; jobs: number | undefined },
): Promise<EvaluatedApp[]> {
  const bumps = bumpsFor(apps, published);
  const shown = (file: string): string => printable(shownBelow(loaded.root, file));
  if (dryRun)
    return apps.map((one) => {
      const bump = one.result.state === 'changed' ? bumps.get(one.app.versionFile) : undefined;
      if (bump === undefined) return one;
      const advice = `--bump writes ${bump.version} into ${shown(bump.file)}.`;
      return { ...one, result: { ...one.result, advice } };
    });
  for (const { file, text } of bumps.values()) {
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
    if (next?.result.state !== 'new') return next ?? one;
    const message = `Raised from ${one.result.declared} to ${next.result.declared} in ${shown(one.app.versionFile)}.`;
    return { ...next, result: { ...next.result, message } };
  });
}

/** By file; apps that share one get a version above all of theirs. */
function bumpsFor(apps: readonly EvaluatedApp[], { lock }: Published): Map<string, Bump> {
  const bumps = new Map<string, Bump>();
  for (const { app, declared, result } of apps) {
    if (result.state !== 'changed' || declared === null) continue;
    const known = [declared.version, result.listed, bumps.get(app.versionFile)?.version];
    const taken = new Set(lock?.get(app.key)?.keys());
    const version = nextVersion(
      known.filter((one) => one != null),
      taken,
    );
    bumps.set(app.versionFile, { file: app.versionFile, version, text: withVersion(declared, version) });
  }
  return bumps;
}

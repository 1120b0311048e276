import { judge } from '../core/engine/judge.ts';
import type { Snapshot } from '../core/facts/facts.ts';

/** The first error of the manifest, in the words of its rule; null without errors. Loaded if the manifest is unusable. */
export function manifestError(snapshot: Snapshot): string | null {
  const { findings } = judge(snapshot, { command: snapshot.manifest.file === null ? 'verify' : 'lint' });
  return findings.find(({ severity, resource }) => severity === 'error' && resource === 'manifest')?.message ?? null;
}

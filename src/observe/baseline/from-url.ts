import { message } from '../../core/text/message.ts';
import type { Baseline, Snapshot } from '../../core/facts/facts.ts';
import { redact } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import { baselineFromSnapshot } from './baseline.ts';
import { observe } from '../registry/observe.ts';
import type { WebOptions } from '../registry/options.ts';
import { manifestAppsIn } from '../../core/registry/manifest.ts';

/**
 * Reads the current content of a live registry as a baseline. Throws AppregError if its manifest cannot be fetched: a
 * comparison with nothing would find nothing.
 */
export async function baselineFromUrl(url: string, options: WebOptions, seenAt: string): Promise<Baseline> {
  let manifest: Snapshot['manifest'] | null = null;
  const apps: Snapshot['apps'] = [];
  const documents = { apps: null, shard: null, memory: null, skipArtifacts: true, attestations: null, about: false };
  for await (const part of observe(url, { ...options, ...documents })) {
    if (part.kind === 'manifest') manifest = part.facts;
    else if (part.kind === 'app') apps.push(part.facts);
  }
  if (!manifest || manifestAppsIn(manifest.content) === null) {
    throw new AppregError(
      'baseline-unusable',
      message`No usable manifest is served at ${url}, so nothing can be compared with it.`,
      message`See its errors: appreg verify ${url} --skip-artifacts`,
    );
  }
  const snapshot: Snapshot = { snapshot: 1, target: url, seenAt, origins: [], manifest, apps, orphans: [] };
  return baselineFromSnapshot(snapshot, redact(url));
}

import type { AppFacts, DocumentFacts, HostFacts, Shard, Snapshot } from '../../core/facts/facts.ts';
import { redactInPlace } from '../../core/text/text.ts';
import { openPartFile } from './part-file.ts';

/** What saved facts say about the run, before what was observed. */
export type SnapshotHeader = Pick<Snapshot, 'target' | 'seenAt' | 'origins' | 'appEntry' | 'attestations'>;

/** Saved facts, written app by app during observation, so memory use does not depend on the registry's size. */
export interface SnapshotWriter {
  manifest(facts: DocumentFacts): void;
  app(facts: AppFacts): void;
  /** Called after all apps. */
  hosts(facts: readonly HostFacts[]): void;
  /**
   * Renames the completed file to its final path.
   * @param incomplete why the observation is incomplete, or null
   * @param shard the observed shard of the apps
   */
  finish(incomplete: string | null, shard?: Shard | null): void;
  /** Removes the partial file. Only the first call of `finish` or `abandon` takes effect. */
  abandon(): void;
}

/**
 * @param path absolute; an existing file is replaced atomically
 * @param conceal removes secrets from a text
 */
export function writeSnapshot(path: string, head: SnapshotHeader, conceal: (text: string) => string): SnapshotWriter {
  const file = openPartFile(path);
  let apps = 0;
  let limited: readonly HostFacts[] = [];

  const json = (value: unknown): string => factsJson(value, conceal);
  const member = (name: keyof SnapshotHeader, value: unknown): string =>
    value === undefined ? '' : `,"${name}":${json(value)}`;
  file.write(
    `{"snapshot":1,"target":${json(head.target)},"seenAt":${json(head.seenAt)},"origins":${json(head.origins)}${member('appEntry', head.appEntry)}${member('attestations', head.attestations)}`,
  );

  return {
    manifest: (facts) => file.write(`,\n"manifest":${json(facts)},\n"apps":[`),
    app: (facts) => file.write(`${apps++ === 0 ? '\n' : ',\n'}${json(facts)}`),
    hosts: (facts) => void (limited = facts),
    finish(incomplete, shard = null) {
      if (!file.isOpen) return;
      const more = [
        ...(shard === null ? [] : [`,"shard":${json(shard)}`]),
        ...(limited.length === 0 ? [] : [`,"hosts":${json(limited)}`]),
      ];
      file.write(`\n],"orphans":[],"incomplete":${json(incomplete)}${more.join('')}}\n`);
      file.finish();
    },
    abandon: () => file.abandon(),
  };
}

/** Facts as JSON without secrets, as written to any file. */
export function factsJson(value: unknown, conceal: (text: string) => string): string {
  return JSON.stringify(value, (_, item: unknown) => (typeof item === 'string' ? conceal(redactInPlace(item)) : item));
}

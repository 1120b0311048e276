import { COMPANION_KINDS, type CompanionKind } from '../attestation/companion.ts';
import { compareText } from '../engine/order.ts';

/** The digests of the companion files of a version; null for one that does not exist, and absent if that is not known. */
export type CompanionDigests = Readonly<Partial<Record<CompanionKind, string | null>>>;

/** By app key, then by version. */
export type RegistryCompanions = ReadonlyMap<string, ReadonlyMap<string, CompanionDigests>>;

/** A companion file that only one of two states has, or that differs; one that exists must never change. */
export interface CompanionDiff {
  app: string;
  version: string;
  kind: CompanionKind;
  change: 'added' | 'removed' | 'changed';
}

/** Compares the companion files of the versions that both states have, in the order of apps, versions and kinds. */
export function diffCompanions(before: RegistryCompanions, after: RegistryCompanions): CompanionDiff[] {
  const found: CompanionDiff[] = [];
  for (const [app, versions] of [...after].sort(([a], [b]) => compareText(a, b)))
    for (const [version, now] of versions) {
      const old = before.get(app)?.get(version);
      if (old === undefined) continue;
      for (const kind of COMPANION_KINDS) {
        const change = changeOf(old[kind], now[kind]);
        if (change !== null) found.push({ app, version, kind, change });
      }
    }
  return found;
}

function changeOf(old: string | null | undefined, now: string | null | undefined): CompanionDiff['change'] | null {
  if (old === now || old === undefined || now === undefined) return null;
  if (old === null) return 'added';
  return now === null ? 'removed' : 'changed';
}

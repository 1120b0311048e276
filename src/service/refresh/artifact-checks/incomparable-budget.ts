import type { OfferedArtifact } from './store.ts';

/**
 * The bytes of artifacts that a refresh fetches only because their host sends nothing to compare them by. Beyond it,
 * their length is compared.
 */
export interface IncomparableBudget {
  /** Whether an artifact may be fetched; it is then counted. */
  afford(versions: readonly Pick<OfferedArtifact, 'bytes' | 'verifiedAt'>[]): boolean;
}

const MIB = 2 ** 20;
/** In total, and of artifacts that were fetched recently, since subscribers may request several checks. */
const BYTES = { total: 512 * MIB, recent: 32 * MIB };
const RECENT = 900_000;

export function openIncomparableBudget(now: Date): IncomparableBudget {
  const left = { ...BYTES };
  return {
    afford(versions) {
      const bytes = Math.max(...versions.map((one) => one.bytes));
      const isRecent = versions.some(({ verifiedAt }) => now.getTime() - verifiedAt.getTime() < RECENT);
      if (bytes > left.total || (isRecent && bytes > left.recent)) return false;
      left.total -= bytes;
      if (isRecent) left.recent -= bytes;
      return true;
    },
  };
}

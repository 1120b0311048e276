import { setImmediate } from 'node:timers/promises';
import type { ContentScan } from '../../core/facts/facts.ts';
import type { Region } from './find-secrets.ts';
import type { FoundSecret } from './private-keys.ts';

/**
 * Runs the detectors of secrets over the places of one archive. It works in short slices, so that the thread can do
 * other work in between, and ends at its limits: an archive can be made so that detectors take very long.
 */

/** Limits of the work for one archive. */
export interface DetectorLimits {
  /** Milliseconds of the thread for the detectors; Infinity for no limit. */
  milliseconds: number;
  /** Different secrets. */
  secrets: number;
}

/** Waits until the thread may be used. @returns the function that ends the turn */
export type TakeTurn = () => Promise<() => void>;

/** Milliseconds after which other work on the thread gets a turn. */
const SLICE = 10;

/** Other work of the event loop runs in between. */
const betweenEvents: TakeTurn = async () => {
  await setImmediate();
  return () => {};
};

export class DetectorRun {
  private readonly limits: DetectorLimits;
  private readonly takeTurn: TakeTurn;
  private spent = 0;
  private limit: NonNullable<ContentScan['stopped']> | null = null;

  constructor(limits: DetectorLimits, takeTurn: TakeTurn = betweenEvents) {
    this.limits = limits;
    this.takeTurn = takeTurn;
  }

  /** The limit that ended the run; null if there was none. */
  get stopped(): NonNullable<ContentScan['stopped']> | null {
    return this.limit;
  }

  /**
   * Searches the regions that `next` returns, until it returns none.
   * @param onFound takes the secrets of a region, if there are any; it returns the number of different secrets so far
   */
  async search<R extends { region: Region }>(
    next: () => R | undefined,
    onFound: (secrets: readonly FoundSecret[], searched: R) => Promise<number>,
  ): Promise<void> {
    const { secretsIn } = await import('./find-secrets.ts');
    let one = next();
    while (one !== undefined && this.limit === null) {
      const found: [readonly FoundSecret[], R][] = [];
      const endTurn = await this.takeTurn();
      try {
        let elapsed = 0;
        while (one !== undefined && elapsed < SLICE && this.spent + elapsed <= this.limits.milliseconds) {
          const started = performance.now();
          const secrets = await secretsIn(one.region);
          elapsed += performance.now() - started;
          if (secrets.length > 0) found.push([secrets, one]);
          one = next();
        }
        this.spent += elapsed;
        if (this.spent > this.limits.milliseconds) this.limit = 'time';
      } finally {
        endTurn();
      }
      for (const [secrets, searched] of found)
        // Secrets found after the limit depend on how far this slice got.
        if ((await onFound(secrets, searched)) >= this.limits.secrets) {
          this.limit ??= 'secrets';
          break;
        }
    }
  }
}

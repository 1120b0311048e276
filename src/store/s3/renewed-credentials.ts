import type { Credentials, FoundCredentials } from './credentials.ts';

/** Credentials that are looked up for the first request, and again before they end. */
interface RenewedCredentials {
  /**
   * Credentials that are valid, as far as is known. Simultaneous calls share one look-up.
   * @throws the error of the look-up if there are none yet; the next call looks them up again, after a delay
   */
  current(): Promise<FoundCredentials>;
  /**
   * Others, after the store refused some.
   * @returns null if the source still has the same ones @throws the error of the look-up
   */
  after(refused: FoundCredentials): Promise<FoundCredentials | null>;
}

interface RenewalOptions {
  /** Receives the error of a look-up that failed while the earlier credentials are still used. */
  onError?: (error: unknown) => void;
  /** The clock of this machine. It may be wrong: the store decides whether credentials are valid. */
  now?: () => number;
}

/** Milliseconds before their end at which credentials are renewed; sooner if they end within this time. */
const BEFORE_END = 300_000;
/** Milliseconds until credentials are looked up again that have ended by this machine's clock, when they were received. */
const AFTER_END = 60_000;
/** Milliseconds between two look-ups after one that failed or found nothing else, doubled each time. */
const DELAY = 100;
const MAX_DELAY = 30_000;

/** Renews credentials. @param lookUp reads the sources */
export function renewCredentials(
  lookUp: () => Promise<FoundCredentials>,
  { onError = () => {}, now = Date.now }: RenewalOptions = {},
): RenewedCredentials {
  let held: { found: FoundCredentials; renewAt: number } | null = null;
  let running: Promise<FoundCredentials> | null = null;
  let pause: { count: number; until: number; error: { thrown: unknown } | null } | null = null;

  function startPause(error: { thrown: unknown } | null): void {
    const count = (pause?.count ?? 0) + 1;
    pause = { count, until: performance.now() + Math.min(MAX_DELAY, DELAY * 2 ** (count - 1)), error };
  }

  async function lookUpOnce(): Promise<FoundCredentials> {
    try {
      const found = await lookUp();
      const isOther = held === null || !areSame(held.found.keys, found.keys);
      held = { found, renewAt: renewalOf(found, now()) };
      if (isOther) pause = null;
      return found;
    } catch (thrown) {
      startPause({ thrown });
      throw thrown;
    } finally {
      running = null;
    }
  }

  async function renew(): Promise<FoundCredentials> {
    if (running !== null) return running;
    if (pause !== null && performance.now() < pause.until) {
      if (pause.error !== null) throw pause.error.thrown;
      if (held !== null) return held.found;
    }
    return (running = lookUpOnce());
  }

  return {
    async current() {
      if (held === null) return renew();
      const { found, renewAt } = held;
      if (now() < renewAt) return found;
      const renewed = renew().catch((error: unknown) => {
        onError(error);
        // The store refuses them if they have ended.
        return found;
      });
      const isValid = found.expires === null || now() < found.expires.getTime();
      return isValid ? found : renewed;
    },
    async after(refused) {
      if (held !== null && !areSame(held.found.keys, refused.keys)) return held.found;
      const found = await renew();
      if (!areSame(found.keys, refused.keys)) return found;
      if (pause === null || performance.now() >= pause.until) startPause(null);
      return null;
    },
  };
}

/** When credentials are renewed, by the clock of this machine. */
function renewalOf({ expires, readAgainAfter }: FoundCredentials, now: number): number {
  const readAgain = readAgainAfter === null ? Infinity : now + readAgainAfter;
  if (expires === null) return readAgain;
  const left = expires.getTime() - now;
  // The clock of this machine is wrong, or the source has not renewed them.
  if (left <= 0) return now + AFTER_END;
  return Math.min(readAgain, now + Math.max(left - BEFORE_END, left / 2));
}

function areSame(a: Credentials, b: Credentials): boolean {
  return (
    a.accessKeyId === b.accessKeyId && a.secretAccessKey === b.secretAccessKey && a.sessionToken === b.sessionToken
  );
}

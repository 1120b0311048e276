import type { Missing } from '../../core/facts/facts.ts';
import type { JsonValue } from '../../core/json/json.ts';
import type { ListedArtifact } from './options.ts';
import type { ListedPart } from './part.ts';

/** Why an artifact is not fetched; null if it is. */
export type WhyLeftOut = (artifact: ListedArtifact) => Missing | null;

const NOT_LEFT_OUT: WhyLeftOut = () => null;

interface Announcement {
  part: ListedPart;
  /** The app goes on with its artifacts. */
  release(): void;
}

/** The `listed` parts of the apps in flight. Each app waits until its part was dealt with. */
export class Announcements {
  readonly #waiting: Announcement[] = [];
  #onArrival: (() => void) | null = null;
  #isOpen: boolean;

  /** @param isOpen false if no parts are announced */
  constructor(isOpen: boolean) {
    this.#isOpen = isOpen;
  }

  /** Resolves once the part was dealt with: to what it leaves out. */
  announce(key: string, versions: readonly JsonValue[]): Promise<WhyLeftOut> {
    if (!this.#isOpen) return Promise.resolve(NOT_LEFT_OUT);
    return new Promise((resolve) => {
      let whyLeftOut = NOT_LEFT_OUT;
      const leaveOut = (why: WhyLeftOut): void => void (whyLeftOut = why);
      const part = { kind: 'listed', key, versions, leaveOut } as const;
      this.#waiting.push({ part, release: () => resolve(whyLeftOut) });
      this.#onArrival?.();
    });
  }

  /** Resolves once a part waits. Only the last promise resolves. */
  arrival(): Promise<null> {
    return new Promise((resolve) => {
      this.#onArrival = () => resolve(null);
      if (this.#waiting.length > 0) resolve(null);
    });
  }

  /** The first part that waits; null if none does. */
  first(): ListedPart | null {
    return this.#waiting[0]?.part ?? null;
  }

  /** The first part was dealt with. */
  release(): void {
    this.#waiting.shift()?.release();
  }

  /** Releases all apps that wait, also the one whose part was handed over; no later one waits. */
  close(): void {
    this.#isOpen = false;
    for (const { release } of this.#waiting.splice(0)) release();
  }
}

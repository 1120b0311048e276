import ora from 'ora';
import type { SafeText } from '../../core/text/message.ts';

export interface Progress {
  /** Replaces the current line. The text is made when it is shown: most updates of a fast run never are. */
  update(text: () => SafeText): void;
  stop(): void;
}

/** A spinner on stderr that runs until stopped. */
export function startSpinner(text: SafeText): Progress {
  const spin = ora({ text, stream: process.stderr, discardStdin: false }).start();
  let shownAt = 0;
  return {
    update(next) {
      const now = performance.now();
      if (now - shownAt < spin.interval) return;
      shownAt = now;
      spin.text = next();
    },
    stop: () => void spin.stop(),
  };
}

import ora from 'ora';
import type { SafeText } from '../../core/text/message.ts';

export interface Progress {
  /** Replaces the current line. */
  update(text: SafeText): void;
  stop(): void;
}

/** A spinner on stderr that runs until stopped. */
export function startSpinner(text: SafeText): Progress {
  const spin = ora({ text, stream: process.stderr, discardStdin: false }).start();
  return {
    update(next) {
      spin.text = next;
    },
    stop: () => void spin.stop(),
  };
}

import ora from 'ora';
import { printable } from '../../core/text/text.ts';

export interface Progress {
  /** Replaces the current line. */
  update(text: string): void;
  stop(): void;
}

/** A spinner on stderr that runs until stopped. */
export function startSpinner(text: string): Progress {
  const spin = ora({ text: printable(text), stream: process.stderr, discardStdin: false }).start();
  return {
    update(next) {
      spin.text = printable(next);
    },
    stop: () => void spin.stop(),
  };
}

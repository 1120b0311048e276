import ora from 'ora';
import { printable } from '../../core/text/text.ts';

export interface Progress {
  /** One line that replaces the one before it. */
  update(text: string): void;
  stop(): void;
}

/** A line on stderr that turns until it is stopped. */
export function startSpinner(text: string): Progress {
  const spin = ora({ text: printable(text), stream: process.stderr, discardStdin: false }).start();
  return {
    update(next) {
      spin.text = printable(next);
    },
    stop: () => void spin.stop(),
  };
}

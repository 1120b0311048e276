import type { SafeText } from '../core/text/message.ts';

/** Messages of a long operation while it runs; a terminal shows them. */
export interface Listener {
  /** A warning, or another message. */
  log(text: SafeText): void;
  /** The beginning of something that takes time; `stop` of the result is called at its end. */
  progress(text: SafeText): Progress;
}

export interface Progress {
  /** Replaces the current line. The text is made when it is shown: most updates of a fast run never are. */
  update(text: () => SafeText): void;
  stop(): void;
}

export const SILENT: Listener = { log() {}, progress: () => ({ update() {}, stop() {} }) };

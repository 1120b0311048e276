/**
 * Steps at which the tests interrupt a write. Only a build for tests contains them (`failpoints` in scripts/build.mjs);
 * from the product, this function and its calls are removed. In such a build `APPREG_FAILPOINT=<step>` kills the
 * process there, like a power failure; `APPREG_FAILPOINT=<step>:SIGSTOP` (or any other signal) sends it that signal
 * instead, once.
 */
export type FailStep =
  | 'lock-prepared'
  | 'locked'
  | 'temp-created'
  | 'half-written'
  | 'before-sync'
  | 'before-link'
  | 'after-link'
  | 'before-rename'
  | 'after-rename'
  | 'before-unlock'
  // For a store over the network: a write is about to be sent, or was answered.
  | 'before-send'
  | 'after-send';

declare global {
  /** Set by the bundler; not defined if the sources are executed without it. */
  const FAILPOINTS: boolean | undefined;
}

let hasFired = false;

export function failpoint(step: FailStep): void {
  if (typeof FAILPOINTS === 'undefined' || !FAILPOINTS) return;
  const [failStep, signal = 'SIGKILL'] = (process.env['APPREG_FAILPOINT'] ?? '').split(':');
  if (failStep !== step || hasFired) return;
  hasFired = true;
  process.kill(process.pid, signal);
}

/**
 * Steps at which the tests interrupt a write. `APPREG_FAILPOINT=<step>` kills the process there, like a power failure;
 * `APPREG_FAILPOINT=<step>:SIGSTOP` (or any other signal) sends it that signal instead, once. If unset, this does
 * nothing.
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

const [STEP, SIGNAL = 'SIGKILL'] = (process.env['APPREG_FAILPOINT'] ?? '').split(':');

let struck = false;

export function failpoint(step: FailStep): void {
  if (STEP !== step || struck) return;
  struck = true;
  process.kill(process.pid, SIGNAL);
}

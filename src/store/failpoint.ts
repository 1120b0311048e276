/**
 * Where the tests let a write die. `APPREG_FAILPOINT=<step>` kills the process there, as a power cut would;
 * `APPREG_FAILPOINT=<step>:SIGSTOP` (or any other signal) sends it that signal instead, once. Unset, this does nothing.
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
  // Of a store that is asked over the network: a write that is about to be sent, and one that is answered.
  | 'before-send'
  | 'after-send';

const [STEP, SIGNAL = 'SIGKILL'] = (process.env['APPREG_FAILPOINT'] ?? '').split(':');

let struck = false;

export function failpoint(step: FailStep): void {
  if (STEP !== step || struck) return;
  struck = true;
  process.kill(process.pid, SIGNAL);
}

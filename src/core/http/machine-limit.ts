/** Failures of the machine that sends the requests: they say nothing about the host. */

/** What ran out, by the code of the system. */
const MACHINE_LIMITS: Readonly<Record<string, string>> = {
  EMFILE: 'this process has too many open files and connections',
  ENFILE: 'this machine has too many open files and connections',
  EADDRNOTAVAIL: 'this machine has no free local port or address for another connection',
  ENOBUFS: 'this machine has no memory left for network buffers',
  ENOMEM: 'this machine has no memory left',
  EAGAIN: 'this machine has no resources left for another connection',
};

/** True for the code of an error that exhausted resources of this machine cause. */
export function isMachineLimit(code: string): boolean {
  return Object.hasOwn(MACHINE_LIMITS, code);
}

/** What ran out, for a sentence. */
export function machineLimitText(code: string): string {
  return `${MACHINE_LIMITS[code] ?? 'this machine has no resources left'} (${code})`;
}

/** What to do about it. */
export const MACHINE_LIMIT_ADVICE =
  'Raise the limit (ulimit -n), close other programs, or lower --concurrency, and run the command again.';

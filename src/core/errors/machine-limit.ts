import { message, safe, type SafeText } from '../text/message.ts';
import { AppregError, type ErrorCode } from './error.ts';

/**
 * Faults of the machine that sends a request or opens a file: they say nothing about the host or the file, so that
 * nothing is found out about either. A network without a route to a host (ENETUNREACH, EHOSTUNREACH) or without name
 * servers that respond (EAI_AGAIN) is not among them: the host may be the cause, and an unreachable registry is a
 * finding.
 */

interface MachineLimit {
  /** For a sentence. */
  means: string;
  advice: SafeText;
}

const FEWER = 'or lower --concurrency, and run the command again.';
const MEMORY = message`Close other programs, ${FEWER}`;

/** By the code of the system. */
const MACHINE_LIMITS: Readonly<Record<string, MachineLimit>> = {
  EMFILE: {
    means: 'this process has too many open files and connections',
    advice: message`Raise the limit (ulimit -n), close other programs, ${FEWER}`,
  },
  ENFILE: {
    means: 'this machine has too many open files and connections',
    advice: message`Close other programs, raise the limit of the system (on Linux: fs.file-max), ${FEWER}`,
  },
  EADDRNOTAVAIL: {
    means: 'this machine has no free local port or address for another connection',
    advice: message`Wait some minutes until the system has released the ports of closed connections, ${FEWER}`,
  },
  ENOBUFS: { means: 'this machine has no memory left for network buffers', advice: MEMORY },
  ENOMEM: { means: 'this machine has no memory left', advice: MEMORY },
  EAGAIN: { means: 'this machine has no resources left for another connection', advice: MEMORY },
  ENETDOWN: {
    means: 'the network interface of this machine is down',
    advice: message`Connect this machine to a network, and run the command again.`,
  },
};

/** True for the code of an error that this machine causes. */
export function isMachineLimit(code: string): boolean {
  return Object.hasOwn(MACHINE_LIMITS, code);
}

/** Describes the limit of this machine, for a sentence. */
export function machineLimitText(code: string): string {
  return `${MACHINE_LIMITS[code]?.means ?? 'this machine has no resources left'} (${code})`;
}

/** Advice for a code of `MACHINE_LIMITS`; about memory for any other. */
export function machineLimitAdvice(code: string): SafeText {
  return MACHINE_LIMITS[code]?.advice ?? MEMORY;
}

/**
 * The error of a command that a fault of this machine ended: exit 2.
 * @param code of the system
 * @param summary what could not be done; the fault follows as the end of the sentence
 */
export function machineLimitError(
  code: string,
  summary: SafeText,
  options: ConstructorParameters<typeof AppregError>[3] = {},
): AppregError {
  const known: ErrorCode = code === 'EMFILE' || code === 'ENFILE' ? 'too-many-open-files' : 'machine-limit';
  return new AppregError(
    known,
    message`${safe(summary)}: ${machineLimitText(code)}.`,
    machineLimitAdvice(code),
    options,
  );
}

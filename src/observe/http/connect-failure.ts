import type { Failure, TlsFacts } from '../../core/facts/facts.ts';

interface ConnectFailureFields {
  phase: Failure['phase'];
  code: string;
  message: string;
  address?: string | null;
  /** The facts of a handshake that was completed. */
  tls?: TlsFacts | null;
}

/** A failed connection attempt, and the phase in which it failed. */
export class ConnectFailure extends Error {
  readonly phase: Failure['phase'];
  readonly code: string;
  readonly address: string | null;
  readonly tls: TlsFacts | null;

  constructor({ phase, code, message, address = null, tls = null }: ConnectFailureFields) {
    super(message);
    this.phase = phase;
    this.code = code;
    this.address = address;
    this.tls = tls;
  }
}

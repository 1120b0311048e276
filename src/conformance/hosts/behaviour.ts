import type { Socket } from 'node:net';

/** A request as a fault host receives it. */
export interface FaultRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** Number of the connection that it came over, from 1. */
  connection: number;
}

/** Responds to a request, byte by byte. */
export type Behaviour = (request: FaultRequest, socket: Socket) => void | Promise<void>;

import { Agent } from 'undici';
import { certificates } from './fault-certificates.ts';

/** Asks hosts of the tests over HTTPS. */
export function trusting(): Agent {
  return new Agent({ connect: { ca: certificates().ca } });
}

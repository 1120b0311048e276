import type { Service } from '../context.ts';

/** What a refresh needs of the service. */
export interface RefreshContext extends Pick<
  Service,
  'settings' | 'artifacts' | 'db' | 'log' | 'metrics' | 'outbound'
> {
  now(): Date;
  /** A random number from 0 to 1. */
  random(): number;
}

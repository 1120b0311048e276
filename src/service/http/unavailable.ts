import { type DatabaseFault, FAULT_MESSAGES } from '../database/database-error.ts';
import { Refusal } from './problems.ts';

/** Seconds after which a client may repeat a request that failed because of the database. */
export const RETRY_AFTER = '5';

/** The response while the database has a fault. */
export function unavailable(fault: DatabaseFault): Refusal {
  return new Refusal(
    'unavailable',
    `${FAULT_MESSAGES[fault]} Try again in a moment.`,
    {},
    { 'retry-after': RETRY_AFTER },
  );
}

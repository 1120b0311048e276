import { errorCode } from '../error-fields.ts';

/** True for transient errors: the database cannot be reached, or is shutting down. */
export function isTransientError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return (
    /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|08\w{3}|57P0[1-5]|53300)$/.test(errorCode(error)) ||
    /^(Connection terminated|timeout exceeded when trying to connect)/.test(error.message)
  );
}

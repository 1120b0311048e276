/** True for transient errors: the database cannot be reached, or is shutting down. */
export function isAbsence(error: Error): boolean {
  const { code = '' } = error as { code?: string };
  return (
    /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|08\w{3}|57P0[1-5]|53300)$/.test(code) ||
    /^(Connection terminated|timeout exceeded when trying to connect)/.test(error.message)
  );
}

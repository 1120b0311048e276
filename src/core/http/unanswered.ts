/** How a request ended that a host never answers, for a sentence. */

/** @param code of the failure */
export function unanswered(code: string | null): string {
  if (code === null) return 'it gets no response';
  return code.endsWith('_TIMEOUT')
    ? 'no response arrives in time'
    : `the connection is closed before a response arrives (${code})`;
}

/** The code of an error of the system, such as `ENOENT`; null for other errors. */
export function systemErrorCode(error: unknown): string | null {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null;
}

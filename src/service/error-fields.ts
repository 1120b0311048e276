/** Typed access to the fields of caught errors. */

/** The code of an error of Node or PostgreSQL; '' if it has none. */
export function errorCode(error: unknown): string {
  return textField(error, 'code');
}

/** pg-boss reports copies of errors, which are plain objects. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : textField(error, 'message') || String(error);
}

/** What a failed program printed on stderr; the error's message if it printed nothing. */
export function failureOutput(error: unknown): string {
  return textField(error, 'stderr').trim() || errorMessage(error);
}

function textField(error: unknown, name: 'code' | 'stderr' | 'message'): string {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
  return typeof value === 'string' ? value : '';
}

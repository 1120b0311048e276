import { redact } from 'appreg';

type Level = 'debug' | 'info' | 'warn' | 'error';

/** Logs one JSON object per line. Secrets are removed from texts; log only events that an operator needs. */
export interface Log {
  (level: Level, event: string, fields?: Record<string, unknown>): void;
}

/**
 * Opens a log that writes lines of JSON, without secrets.
 *
 * @param write receives a line without its line end, and its level
 * @param now the current time
 */
export function openLog(write: (line: string, level: Level) => void, now: () => Date = () => new Date()): Log {
  return (level, event, fields = {}) => {
    write(JSON.stringify({ time: now().toISOString(), level, event, ...fields }, withoutSecrets), level);
  };
}

function withoutSecrets(_: string, value: unknown): unknown {
  if (value instanceof Error) return { message: redact(value.message), stack: redact(value.stack ?? '') };
  return typeof value === 'string' ? redact(value) : value;
}

/** Typed access to the fields of caught errors. */

/** The code of an error of Node or PostgreSQL; '' if it has none. */
export function errorCode(error: unknown): string {
  return textField(error, 'code');
}

/** The message of an error, which may be a plain object. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : textField(error, 'message') || String(error);
}

/** The stderr of a failed program; the error's message if it printed nothing. */
export function failureOutput(error: unknown): string {
  return textField(error, 'stderr').trim() || errorMessage(error);
}

function textField(error: unknown, name: 'code' | 'stderr' | 'message'): string {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
  return typeof value === 'string' ? value : '';
}

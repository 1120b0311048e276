import { redact } from '../core/text/text.ts';

type Level = 'debug' | 'info' | 'warn' | 'error';

/** Logs one JSON object per line. Secrets are removed from texts; log only events that an operator needs. */
export interface Log {
  (level: Level, event: string, fields?: Record<string, unknown>): void;
}

/** @param write receives a line without its line end, and its level @param now the current time */
export function openLog(write: (line: string, level: Level) => void, now: () => Date = () => new Date()): Log {
  return (level, event, fields = {}) => {
    write(JSON.stringify({ time: now().toISOString(), level, event, ...fields }, withoutSecrets), level);
  };
}

function withoutSecrets(_: string, value: unknown): unknown {
  if (value instanceof Error) return { message: redact(value.message), stack: redact(value.stack ?? '') };
  return typeof value === 'string' ? redact(value) : value;
}

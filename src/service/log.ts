import { redact } from '../core/text/text.ts';

type Level = 'debug' | 'info' | 'warn' | 'error';

/** One line of JSON per event. Texts lose their secrets; what is told must be worth a line. */
export interface Log {
  (level: Level, event: string, fields?: Record<string, unknown>): void;
}

/** @param write takes one line, without its line end, and how grave it is @param now the clock */
export function openLog(write: (line: string, level: Level) => void, now: () => Date = () => new Date()): Log {
  return (level, event, fields = {}) => {
    write(JSON.stringify({ time: now().toISOString(), level, event, ...fields }, safe), level);
  };
}

function safe(_: string, value: unknown): unknown {
  if (value instanceof Error) return { message: redact(value.message), stack: redact(value.stack ?? '') };
  return typeof value === 'string' ? redact(value) : value;
}

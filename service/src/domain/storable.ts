/** A text that PostgreSQL can store: without NUL and lone surrogates. */
export function storable(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\u{fffd}');
}

/** A value as the database returns it, once it is stored as `storableJson`. */
export function storableValue<Value>(value: Value): Value {
  return JSON.parse(storableJson(value));
}

/** A value as JSON for a jsonb column, with texts as `storable` returns them. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (typeof item === 'string' ? storable(item) : item));
}

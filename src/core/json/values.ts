/** Values of parsed JSON. */

/** A value of parsed JSON. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** An object of parsed JSON. */
export type JsonObject = { [key: string]: JsonValue };

/** True for a JSON object, false for an array or null. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member, never an inherited one, so `constructor` is absent from `{}`. */
export function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The value if it is a string; otherwise null. */
export function stringOrNull(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

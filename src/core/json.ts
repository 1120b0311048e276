/** Placeholder types; the reader follows in the next commit. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
export interface Reading {
  value: JsonValue | undefined;
}

/**
 * Parts of the schemas of the API's bodies, as JSON Schema 2020-12. Each shape is declared once, as its schema: its type is
 * inferred (`ValueOf`).
 */

declare const VALUE: unique symbol;

/** A schema, and the type of the values that it describes. */
export type Schema<Value = unknown> = Record<string, unknown> & { readonly [VALUE]?: { readonly value: Value } };

/** The type that a schema describes. */
export type ValueOf<S> = S extends { readonly [VALUE]?: { readonly value: infer Value } } ? Value : never;

/** Schemas by field, and the type of an object with these fields. */
type Fields = Record<string, Schema>;
export type ValuesOf<F extends Fields> = { [Name in keyof F]: ValueOf<F[Name]> };

export const text: Schema<string> = { type: 'string' };
export const count: Schema<number> = { type: 'integer', minimum: 0 };
export const flag: Schema<boolean> = { type: 'boolean' };
/** ISO 8601. */
export const dateTime: Schema<string> = { type: 'string', format: 'date-time' };
export const id: Schema<string> = { type: 'string', format: 'uuid' };
export const sha256: Schema<string> = { type: 'string', pattern: '^[0-9a-f]{64}$' };

/** Some strings, or null. */
export function choice<const Choice extends string | null>(choices: readonly Choice[]): Schema<Choice> {
  return { enum: choices };
}

/** States the type of a schema that no other function makes. */
export function schemaOf<Value>(schema: Schema<Value>): Schema<Value> {
  return schema;
}

/** A value with one type, or null. */
export function orNull<Value>(schema: Schema<Value>): Schema<Value | null> {
  return { ...schema, type: [schema['type'], 'null'] };
}

/** A value of any schema, or null. */
export function nullable<Value>(schema: Schema<Value>): Schema<Value | null> {
  return { anyOf: [schema, { type: 'null' }] };
}

export function list<Value>(items: Schema<Value>): Schema<Value[]> {
  return { type: 'array', items };
}

export function ref<Value = unknown>(name: string): Schema<Value> {
  return { $ref: `#/components/schemas/${name}` };
}

/** All properties are required, with null for absent values, and no others are allowed. */
export function strictObject<F extends Fields>(description: string, properties: F): Schema<ValuesOf<F>> {
  return { description, type: 'object', required: Object.keys(properties), properties, additionalProperties: false };
}

export function withDescription<Value>(schema: Schema<Value>, description: string): Schema<Value> {
  return { ...schema, description };
}

export const next = withDescription(orNull(text), 'Send it as “after” to get the next page; null on the last page.');

/** Parts of the schemas of the API's bodies, as JSON Schema 2020-12. */

export type Schema = Record<string, unknown>;

export const text: Schema = { type: 'string' };
export const count: Schema = { type: 'integer', minimum: 0 };
export const flag: Schema = { type: 'boolean' };
export const dateTime: Schema = { type: 'string', format: 'date-time' };
export const id: Schema = { type: 'string', format: 'uuid' };
export const sha256: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' };

export function orNull(schema: Schema): Schema {
  return { ...schema, type: [schema['type'], 'null'] };
}

export function list(items: Schema): Schema {
  return { type: 'array', items };
}

export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** All properties are required, with null for absent values, and no others are allowed. */
export function strictObject(description: string, properties: Record<string, Schema>): Schema {
  return { description, type: 'object', required: Object.keys(properties), properties, additionalProperties: false };
}

export function withDescription(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

export const next = withDescription(orNull(text), 'Send it as “after” to get the next page; null on the last page.');
